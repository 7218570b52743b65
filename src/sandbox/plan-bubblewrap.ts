import { type Confinement, type Mount, orderMounts } from './confinement.ts';

/** The kernel's own settings. To the kernel a program that root started is root, whatever it is called inside: it could set them (tried). */
const KERNEL = '/proc/sys';

/**
 * The words between `bwrap` and the program. Pure. Everything of the machine can be read and nothing written but what the mounts say; devices, processes
 * and temporary files are the program's own.
 *
 * - A user namespace, in which the program is nobody special: as root it would otherwise keep the power to remount its way out (tried).
 * - A process namespace: nothing survives the end of the program, and nothing outside can be seen or signalled.
 * - `--new-session`: nothing can be typed into the person's terminal. `--die-with-parent`: it ends when Ralph is killed.
 */
export function planBubblewrap({ mounts, cwd, hasNetwork, uid, gid }: Confinement): readonly string[] {
  return [
    ...['--unshare-user', '--uid', String(uid), '--gid', String(gid)],
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...['--die-with-parent', '--new-session'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...['--ro-bind', KERNEL, KERNEL],
    ...orderMounts(mounts).flatMap(toWords),
    ...['--chdir', cwd, '--'],
  ];
}

function toWords({ kind, path, from = path }: Mount): readonly string[] {
  switch (kind) {
    case 'hidden':
      return ['--tmpfs', path];
    case 'readable':
      return ['--ro-bind', from, path];
    case 'own':
    case 'writable':
      return ['--bind', from, path];
  }
}
