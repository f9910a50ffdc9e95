// SPDX-License-Identifier: GPL-2.0-only
/* Container and pod are found from the paths of control groups that container runtimes create. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proc/container.h"

#define ID "3f2a1b9c0d1e4455aabbccddeeff00113f2a1b9c0d1e4455aabbccddeeff0011"
#define UID "8a5b1c2d-0011-2233-4455-66778899aabb"
#define UID_SYSTEMD "8a5b1c2d_0011_2233_4455_66778899aabb"

static void containers_are_found(void **state)
{
	static const struct {
		const char *group, *runtime, *name, *pod;
	} rows[] = {
		{ "/system.slice/docker-" ID ".scope", "docker", ID, "" },
		{ "/docker/" ID, "docker", ID, "" },
		{ "/docker/" ID "/app.slice", "docker", ID, "" },
		{ "/machine.slice/libpod-" ID ".scope/container", "podman", ID, "" },
		{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_SYSTEMD
		  ".slice/cri-containerd-" ID ".scope",
		  "containerd", ID, UID },
		{ "/kubepods.slice/kubepods-pod" UID_SYSTEMD ".slice/crio-" ID ".scope", "cri-o", ID, UID },
		{ "/kubepods/burstable/pod" UID "/" ID, "container", ID, UID },
		{ "/lxc/web1", "lxc", "web1", "" },
		{ "/lxc.payload.web1/system.slice/nginx.service", "lxc", "web1", "" },
		{ "/lxc.payload/web1", "lxc", "web1", "" },
		{ "/machine.slice/machine-db3.scope", "machine", "db3", "" },
		{ "/kubepods/pod" UID, "", "", UID },
	};
	struct scope_container container;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(scope_proc_container_find(rows[i].group, &container));
		assert_string_equal(container.runtime, rows[i].runtime);
		assert_string_equal(container.name, rows[i].name);
		assert_string_equal(container.pod, rows[i].pod);
	}
}

static void services_and_sessions_are_no_containers(void **state)
{
	static const char *const groups[] = {
		"",
		"/",
		"/system.slice/nginx.service",
		"/system.slice/docker.service",
		"/system.slice/docker-registry.scope",
		"/user.slice/user-1000.slice/session-3.scope",
		"/docker/buildkit",
		"/machine.slice",
		"/machine-learning",
		"/" ID,
		"/pod" ID,
		"//",
	};
	struct scope_container container;

	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		assert_false(scope_proc_container_find(groups[i], &container));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(containers_are_found),
		cmocka_unit_test(services_and_sessions_are_no_containers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
