/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Paths that articles about BBR measured, as they ran them: netem on a veth of
 * the sender, so that loss is drawn per skb, and the kernel's buffers of then.
 */
#include "spec/spec.h"

#include <string.h>

#define S    UINT64_C(1000000000)
#define KBIT UINT64_C(1000)
#define MBIT UINT64_C(1000000)

/* tcp_rmem[2] as kernels had it until 6.16 or so; about half of it is window,
 * and that, not the path, is what some of these figures show. */
#define BUFFERS_THEN "6M"

static const struct spec_preset presets[] = {
	{
	    .name = "cc-30",
	    .about = "50 ms each way, 2 % loss and 100 Mbit/s at the sender, "
		     "MTU 9500, 10 s",
	    .options = { { "delay", "50ms" },
			 { "delay-back", "50ms" },
			 { "loss", "2%" },
			 { "rate", "100mbit" },
			 { "queue", "1000p" },
			 { "mtu", "9500" },
			 { "loss-unit", "skb" } },
	    .buffers = BUFFERS_THEN,
	    .duration_ns = 10 * S,
	    .published_bps = { 12 * MBIT, 88 * MBIT },
	    .wrong = "12 Mbit/s for CUBIC holds only at its MTU of 9500 with "
		     "loss drawn per super-packet; at MTU 1500 and per packet "
		     "it is about 1 Mbit/s",
	},
	{
	    .name = "bbr-2pct",
	    .about = "10 ms and 2 % loss at the sender, no rate limit, 8 s",
	    .options = { { "delay", "10ms" },
			 { "loss", "2%" },
			 { "loss-unit", "skb" } },
	    .buffers = BUFFERS_THEN,
	    .duration_ns = 8 * S,
	    .published_bps = { 14200 * KBIT, 1632900 * KBIT },
	    .wrong = "BBR's figure is the receive window of the default "
		     "buffers, not the path; with large buffers it is several "
		     "times higher; fq was not in use and is not needed",
	},
	{
	    .name = "bbr-5pct",
	    .about = "10 ms and 5 % loss at the sender, no rate limit, 8 s",
	    .options = { { "delay", "10ms" },
			 { "loss", "5%" },
			 { "loss-unit", "skb" } },
	    .buffers = BUFFERS_THEN,
	    .duration_ns = 8 * S,
	    .published_bps = { 6300 * KBIT, 1320800 * KBIT },
	    .wrong = "BBR's figure is the receive window of the default "
		     "buffers, not the path; fq was not in use and is not "
		     "needed",
	},
	{
	    .name = "bbr-clean",
	    .about = "a veth pair without delay or loss, 8 s",
	    .options = { { "path", "direct" } },
	    .buffers = BUFFERS_THEN,
	    .duration_ns = 8 * S,
	    .published_bps = { 42600 * MBIT, 27400 * MBIT },
	    .wrong = NULL,
	},
	{
	    .name = "transcontinental",
	    .about = "1 Gbit/s, 80 ms, 0.1 % loss, tuned buffers, 30 s",
	    /* netem at the sender alone, with room for its own delay */
	    .options = { { "delay", "80ms" },
			 { "loss", "0.1%" },
			 { "rate", "1gbit" },
			 { "queue", "100000p" },
			 { "loss-unit", "skb" } },
	    .buffers = "128M", /* the article sets them so */
	    .duration_ns = 30 * S,
	    .published_bps = { 412 * MBIT, 681 * MBIT },
	    .wrong = "412 Mbit/s is implausible for CUBIC: Mathis gives 5.6 "
		     "at MSS 1448; and its \"BBRv3 of 6.8\" is v1, mainline "
		     "has no other",
	},
	{
	    .name = "longhaul-16pct",
	    .about = "200 ms, 16 % loss on the data's way, 50 Mbit/s",
	    .options = { { "rtt", "200ms" },
			 { "loss", "16%" },
			 { "rate", "50mbit" } },
	    .buffers = BUFFERS_THEN,
	    .duration_ns = 0,
	    /* 20.5 kB/s; 1.1 MB/s */
	    .published_bps = { 164 * KBIT, 8800 * KBIT },
	    .wrong = "BBR's figure is one of two: at 16 % it is bistable "
		     "(0.5 to 19 Mbit/s from seed to seed), and the article's "
		     "own long upload had 0.4 to 2",
	},
};

const struct spec_preset *spec_preset_at(uint32_t number)
{
	return number < sizeof(presets) / sizeof(presets[0]) ? &presets[number]
							     : NULL;
}

const struct spec_preset *spec_preset_find(const char *name)
{
	for (uint32_t i = 0; spec_preset_at(i); i++) {
		if (strcmp(presets[i].name, name) == 0)
			return &presets[i];
	}
	return NULL;
}
