/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/error.h"

/* Linux 6.2; the headers of Debian 12 are older. */
#ifndef TUN_F_USO4
#define TUN_F_USO4 0x20
#define TUN_F_USO6 0x40
#endif

#define TUN_PATH "/dev/net/tun"

static int tun_open_node(void)
{
	int fd = open(TUN_PATH, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int tun__check(void)
{
	int fd = tun_open_node();

	if (fd < 0)
		return fd;
	(void)close(fd); /* no device was made of it */
	return 0;
}

static int tun_set_offload(int fd, bool with_offload, bool *ret_has_uso)
{
	unsigned long tcp =
	    TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;
	unsigned long udp = TUN_F_USO4 | TUN_F_USO6;

	*ret_has_uso = false;
	if (!with_offload)
		return ioctl(fd, TUNSETOFFLOAD, 0ul) ? -errno : 0;
	if (!ioctl(fd, TUNSETOFFLOAD, tcp | udp)) {
		*ret_has_uso = true;
		return 0;
	}
	return ioctl(fd, TUNSETOFFLOAD, tcp) ? -errno : 0;
}

static int tun_set_up(int fd, const char *name)
{
	struct ifreq request = {
		.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR,
	};
	int header_bytes = DEVICE_VNET_BYTES;

	(void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (ioctl(fd, TUNSETIFF, &request))
		return -errno;
	if (ioctl(fd, TUNSETVNETHDRSZ, &header_bytes))
		return -errno;
	return 0;
}

int tun__open(const char *name, bool with_offload, bool *ret_has_uso,
	      struct fp_error *error)
{
	int fd = tun_open_node();
	int result;

	if (fd < 0)
		return fp_error_errno(error, -fd, "cannot open '%s'", TUN_PATH);
	result = tun_set_up(fd, name);
	if (!result)
		result = tun_set_offload(fd, with_offload, ret_has_uso);
	if (result) {
		(void)close(fd); /* takes the device with it */
		return fp_error_errno(error, -result,
				      "cannot make TUN device '%s'", name);
	}
	return fd;
}
