/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/algorithm.h"
#include "cmd/buffers.h"
#include "cmd/command.h"
#include "cmd/lab_options.h"
#include "cmd/lab_report.h"
#include "cmd/seed.h"
#include "lab/lab.h"
#include "sys/error.h"

#define ROW(name, type, metavar, range, help, member)                          \
	{                                                                      \
		name, type, metavar, range, help,                              \
		    offsetof(struct lab_options, member), 0, INT64_MAX         \
	}

enum { OFFLOAD_ON, OFFLOAD_OFF };

const struct cmd_option lab_option_table[] = {
	ROW("server", CMD_TEXT, "COMMAND", "a shell command",
	    "runs on the receiver's side before COMMAND, and ends after it",
	    server),
	ROW("report", CMD_TEXT, "FILE", "a file to write",
	    "writes what the path counted as JSON (schema fullpipe.lab/1)",
	    report),
	ROW("pcap", CMD_TEXT, "FILE", "a name; two files are written",
	    "captures what each side's device sends and gets: of run.pcap, "
	    "run.sender.pcap and run.receiver.pcap",
	    pcap),
	ROW("cc", CMD_TEXT, "NAME", "an algorithm that the kernel has",
	    "congestion control of both sides, for programs that choose none "
	    "(the host's default)",
	    cc),
	{ "seed", CMD_COUNT, "N", "0 … 2^53",
	  "seed of all random decisions (the path's own, else 1)",
	  offsetof(struct lab_options, seed), 0, SPEC_SEED_MAX },
	ROW("preset", CMD_PATH, "NAME", "a preset's name",
	    "a path that the field talks about", help),
	ROW("buffers", CMD_TEXT, "SIZE", "auto, default, or 4k … below 2gib",
	    "largest socket buffers: 'auto' is enough for the path, 'default' "
	    "what the kernel has (auto)",
	    buffers),
	ROW("backend", CMD_CHOICE, "NAME", "auto|tun|packet",
	    "how packets reach the emulator (auto: TUN where it opens)",
	    backend),
	ROW("offload", CMD_CHOICE, "STATE", "on|off",
	    "super-packets of up to 64 KiB, or each segment alone (on)",
	    offload),
	ROW("precise", CMD_SWITCH, NULL, NULL,
	    "spin before each release: less lateness, a core is busy", precise),
	ROW("quiet", CMD_SWITCH, NULL, NULL,
	    "no summary on stderr after the command", quiet),
	{ NULL, CMD_SWITCH, NULL, NULL, NULL, 0, 0, 0 },
};

static int lay_path(const struct lab_options *options,
		    const struct spec_path *spec, struct lab_path *path,
		    struct fp_error *error)
{
	static const enum lab_backend backends[] = { LAB_BACKEND_AUTO,
						     LAB_BACKEND_TUN,
						     LAB_BACKEND_PACKET };
	const struct cmd_buffers_for what = { spec, SPEC_FORWARD,
					      CMD_HOST_KERNEL };
	struct cmd_buffers buffers;
	uint64_t seeds[SPEC_WAYS];
	uint32_t i;
	int result;

	result =
	    cmd_buffers_choose(options->buffers ? options->buffers : "auto",
			       &what, &buffers, error);
	if (result < 0)
		return result;
	*path = (struct lab_path){
		.backend = spec->is_direct ? LAB_BACKEND_DIRECT
					   : backends[options->backend],
		.mtu_bytes = spec->mtu_bytes,
		.is_ipv6 = spec->is_ipv6,
		.is_offload_off = options->offload == OFFLOAD_OFF,
		.is_precise = options->precise,
		.rmem_max_bytes = buffers.rmem_bytes,
		.wmem_max_bytes = buffers.wmem_bytes,
	};
	if (options->cc)
		(void)snprintf(path->algorithm, sizeof(path->algorithm), "%s",
			       options->cc);
	cmd_seed_choose(options->seed, spec, seeds);
	for (i = 0; i < SPEC_WAYS; i++) {
		path->way[i] = spec->way[i].config;
		path->way[i].seed = seeds[i];
		path->way[i].direction = i;
	}
	return 0;
}

static int open_capture(const struct lab_options *options,
			struct cmd_capture *capture, struct lab_path *path,
			struct fp_error *error)
{
	if (!options->pcap)
		return 0;
	if (path->backend == LAB_BACKEND_DIRECT) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "--pcap needs the emulator, and '--path "
				   "direct' has none");
		fp_error_hint(error, "tcpdump can capture inside: fullpipe lab "
				     "--path direct -- tcpdump …");
		return -EINVAL;
	}
	path->capture = &capture->lab;
	return cmd_capture_open(capture, options->pcap, NULL, error);
}

/* The command's exit status is ours, unless a file cannot be written. */
static int conclude(const struct lab_outcome *outcome,
		    struct cmd_capture *capture)
{
	const struct lab_options *options = outcome->options;
	struct fp_error error;
	int status = outcome->status;

	if (options->pcap &&
	    cmd_capture_publish(capture, &outcome->result->captured, &error) <
		0)
		status = cmd_fail(&error);
	if (!options->quiet)
		lab_report_print(stderr, outcome);
	if (options->report && lab_report_write(outcome, &error) < 0)
		return cmd_fail(&error);
	return status;
}

static int run_command(const struct lab_options *options,
		       const struct spec_builder *builder, char **argv)
{
	struct lab_result result = { 0 };
	struct cmd_capture capture = { 0 };
	char note[OUT_NOTE_BYTES] = "";
	struct lab_outcome outcome = { .options = options,
				       .result = &result,
				       .capture = &capture,
				       .capture_note = note };
	struct fp_error error;
	struct spec_path spec;
	struct lab_path path;
	int status = 0;

	if (spec_builder_build(builder, &spec, &error) < 0)
		return cmd_fail(&error);
	if ((options->cc &&
	     cmd_algorithm_check_kernel(options->cc, &error) < 0) ||
	    lay_path(options, &spec, &path, &error) < 0 ||
	    open_capture(options, &capture, &path, &error) < 0 ||
	    lab_command(&path, argv, options->server, &outcome.status, &result,
			&error) < 0) {
		status = cmd_fail(&error);
	} else {
		outcome.spec = &spec;
		(void)cmd_capture_note(&capture, note, sizeof(note));
		status = conclude(&outcome, &capture);
	}
	cmd_capture_fini(&capture);
	lab_result_fini(&result);
	spec_path_fini(&spec);
	return status;
}

static int fail_without_command(void)
{
	struct fp_error error;

	(void)fp_error_set(&error, FP_EXIT_USAGE, "lab needs a command to run");
	fp_error_hint(&error, "fullpipe lab --loss 2%% -- "
			      "sh -c 'ping -c 3 $FULLPIPE_PEER'");
	return cmd_fail(&error);
}

int cmd_lab(const struct cmd_command *command, int argc, char **argv)
{
	struct spec_builder *path = spec_builder_new();
	struct lab_options options = { .seed = CMD_SEED_AUTO };
	struct cmd_target target = { .values = &options, .path = path };
	struct fp_error error;
	int status = FP_EXIT_DONE;

	if (!path) {
		(void)fp_error_errno(&error, ENOMEM, "cannot describe a path");
		return cmd_fail(&error);
	}
	if (cmd_options_parse(&command->options, argc, argv, &target, &error) <
	    0)
		status = cmd_fail(&error);
	else if (options.help)
		cmd_help_print(stdout, command);
	else if (target.argc == 0)
		status = fail_without_command();
	else
		status = run_command(&options, path, target.argv);
	spec_builder_free(path);
	return status;
}
