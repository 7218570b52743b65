import { existsSync } from 'node:fs';
import type { Program } from '../ports/index.ts';
import type { OutfitterSettings } from './outfit-order.ts';

/**
 * What keeps a program from looking into Ralph itself where its hat may write: it sees and signals no process but its own, so Ralph's environment is out of
 * its reach, and nothing that it leaves behind outlives it. Files are as they are, but for what `ssh` would refuse.
 *
 * As root it stays root, but for the power to take away what covers `/proc`.
 */
export function createApart({ os }: Pick<OutfitterSettings, 'os'>, folder: string): (program: Program) => Program {
  const { found } = os;
  return (program) => {
    if (found?.kind !== 'bubblewrap') return program;
    const words = [...toUser(), ...APART, ...hideForeign(), '--chdir', program.cwd ?? folder, '--'];
    return { ...program, path: found.path, args: [...words, program.path, ...program.args] };
  };
}

const APART = ['--unshare-pid', '--unshare-ipc', '--die-with-parent', '--new-session', '--dev-bind', '/', '/', '--proc', '/proc'];

function toUser(): readonly string[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return uid === 0 ? ['--cap-drop', 'CAP_SYS_ADMIN'] : ['--unshare-user', '--uid', String(uid), '--gid', String(gid)];
}

const SSH_PARTS = '/etc/ssh/ssh_config.d';

/** In a namespace of its own a user sees nobody as the owner of what is root's, and `ssh` fails over every such part of its settings. */
function hideForeign(): readonly string[] {
  return process.getuid?.() !== 0 && existsSync(SSH_PARTS) ? ['--tmpfs', SSH_PARTS] : [];
}
