import { join } from 'node:path';
import type { Isolation } from '../ports/index.ts';
import { isProgram, selectFolders } from './isolation.ts';
import { runCommand } from './run-command.ts';

/** The namespaces that work here, or why there are none: a sentence for a person, and what would help. */
export type IsolationSearch = { readonly found: Isolation } | { readonly found: null; readonly why: string; readonly fix: string };

/** Only what the system itself installed: whatever else a search path names, somebody may have put there. */
const TRUSTED = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'];
const TRIAL_MS = 10_000;
const NAMESPACES = ['--pid', '--mount', '--propagation=slave', '--fork', '--kill-child=KILL', '--mount-proc'];
/** In a user namespace what is root's seems to be nobody's, and `ssh` refuses parts of its settings that are. */
const FOREIGN = ['/etc/ssh/ssh_config.d'];

/**
 * Finds out by trying whether programs can get a process namespace of their own here. Root needs no user namespace for it, and keeps `sudo` and the like;
 * everybody else does. Takes some 10 ms; never rejects.
 */
export async function findIsolation(): Promise<IsolationSearch> {
  const fix = 'Give this system process namespaces (in a container: the right to make user namespaces), or use the sandbox.';
  if (process.platform !== 'linux') return { found: null, why: `${process.platform} has no process namespaces`, fix };
  const [unshare, mount, setpriv] = ['unshare', 'mount', 'setpriv'].map(findTrusted);
  if (!unshare || !mount || !setpriv) {
    return { found: null, why: 'unshare, mount or setpriv is not installed', fix: 'Install util-linux: apt-get install util-linux mount' };
  }
  const shell = isProgram('/bin/dash') ? '/bin/dash' : '/bin/sh';
  const setsid = findTrusted('setsid');
  // Without a session of its own a program could not signal its own process group: that would be one of outside.
  const own = setsid === undefined ? [] : [setsid];
  const plain = { shell, mount, covered: [], readOnly: [], writable: [] };
  const asRoot: Isolation = { ...plain, enter: [unshare, ...NAMESPACES, '--'], drop: own, hasUserNamespace: false };
  const asUser: Isolation = {
    ...plain,
    enter: [unshare, '--user', '--map-current-user', '--keep-caps', ...NAMESPACES, '--'],
    drop: [setpriv, '--inh-caps=-all', '--ambient-caps=-all', '--', ...own],
    hasUserNamespace: true,
    covered: selectFolders(FOREIGN),
  };
  let why = '';
  for (const isolation of process.getuid?.() === 0 ? [asRoot, asUser] : [asUser]) {
    const problem = await tryIsolation(isolation);
    if (problem === null) return { found: isolation };
    why = problem;
  }
  return { found: null, why: `this system does not let it: ${why}`, fix };
}

function findTrusted(name: string): string | undefined {
  return TRUSTED.map((folder) => join(folder, name)).find(isProgram);
}

/** Starts a program that looks where it is, with a folder that it may not change; null when all is as it has to be. */
async function tryIsolation(isolation: Isolation): Promise<string | null> {
  const result = await runCommand({
    command: '/bin/sh',
    // Whoever was started by process 1 has a namespace of its own: outside, what started it has another number.
    args: ['-c', 'echo "$PPID" && test ! -w /usr/bin'],
    cwd: '/',
    env: { PATH: TRUSTED.join(':') },
    isolation: { ...isolation, readOnly: ['/usr/bin'] },
    timeoutMs: TRIAL_MS,
    isContentWithSockets: true,
  });
  const said = (result.error?.message ?? result.stderrTail).trim().split('\n')[0] ?? '';
  if (result.exitCode !== 0) return said.slice(0, 200) || `a trial ended with ${result.exitCode ?? result.signal ?? result.status}`;
  return result.stdout.trim() === '1' ? null : 'a trial got no namespace of its own';
}
