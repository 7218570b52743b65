import { devNull } from 'node:os';
import { delimiter } from 'node:path';
import { isSecretName } from '../core/text/secrets.ts';
import type { Environment } from '../core/values/environment.ts';
import { splitSearchPath } from '../process/split-search-path.ts';

/**
 * For whom git is started.
 *
 * - `person`: Ralph's own work. The person's configuration and way to sign in count; of what the repository names only the programs that it named when the run
 *   began are run (see `createProgramGuard`).
 * - `agent`: a model says what git does. Nothing that the repository names is run (see `readOwnConfig`), and it speaks to nobody unless the command is a push.
 */
export type GitUser = 'person' | 'agent';

interface Override {
  readonly key: string;
  readonly value: string;
  readonly why: string;
  /** Absent: for both. */
  readonly only?: 'agent';
}

/** Settings that go over every configuration, on every command line. */
const OVERRIDES: readonly Override[] = [
  { key: 'core.hooksPath', value: devNull, why: 'Hooks are programs; what they would check belongs into a gate.' },
  { key: 'core.fsmonitor', value: 'false', why: 'It names a program, or starts a daemon that outlives the run.' },
  { key: 'core.pager', value: 'cat', why: 'It names a program.' },
  { key: 'core.editor', value: 'true', why: 'It names a program, which would wait for somebody.' },
  // Ralph's own git may have to sign in the person's way; where an agent changed that way, the guard cuts the network.
  { key: 'core.askPass', value: '', why: 'It names a program, which asks a person for a password.', only: 'agent' },
  { key: 'core.quotePath', value: 'false', why: 'Names are read as they are.' },
  { key: 'core.safecrlf', value: 'false', why: 'A file that loses its line ends on the way in is no reason to fail.' },
  {
    key: 'commit.gpgSign',
    value: 'false',
    why: 'Signing starts gpg, which asks for a passphrase; what agents wrote bears no signature of the person.',
  },
  { key: 'tag.gpgSign', value: 'false', why: 'As with commits.' },
  { key: 'push.gpgSign', value: 'false', why: 'As with commits.' },
  {
    key: 'log.showSignature',
    value: 'false',
    why: 'Looking at a signature starts gpg, and its words would stand between those that are read.',
  },
  { key: 'diff.submodule', value: 'short', why: 'The longer forms start a git in the submodule, which obeys the configuration there.' },
  { key: 'status.submoduleSummary', value: 'false', why: 'It starts a git in each submodule.' },
  { key: 'submodule.recurse', value: 'false', why: 'It starts a git in each submodule.' },
  { key: 'merge.stat', value: 'false', why: 'The summary after a merge would read `.gitmodules`, which an agent may have written.' },
  { key: 'gc.auto', value: '0', why: 'A clean-up in the background would outlive the run.' },
  { key: 'maintenance.auto', value: 'false', why: 'As with `gc.auto`.' },
  { key: 'init.templateDir', value: '', why: 'Templates bring hooks along.' },
  {
    key: 'safe.bareRepository',
    value: 'explicit',
    why: 'A folder that merely looks like a bare repository is not trusted: its configuration could be anybody’s.',
  },
  { key: 'color.ui', value: 'false', why: 'What is read holds no colours.' },
];

const OVERRIDDEN: ReadonlySet<string> = new Set(OVERRIDES.map(({ key }) => key.toLowerCase()));

/** Whether a setting, as git prints its key, has no say. */
export function isOverridden(key: string): boolean {
  return OVERRIDDEN.has(key.toLowerCase());
}

/**
 * Commands that compare. Left to themselves they read `.gitmodules` wherever a submodule moved, which an agent may have written: one that git refuses would make
 * them fail, and one that says `ignore = all` would hide the move. `dirty`: no git is started in a submodule.
 */
const COMPARING: ReadonlySet<string> = new Set(['diff', 'diff-tree']);

/** The words behind `git`: the overrides, those of the command (`name=value`), and the command itself. */
export function toGitArguments(user: GitUser, config: readonly string[], [command = '', ...args]: readonly string[]): readonly string[] {
  const own = OVERRIDES.filter(({ only }) => only === undefined || only === user).map(({ key, value }) => `${key}=${value}`);
  return [
    '--no-pager',
    // A name that a model gives is a name, whatever characters are in it.
    ...(user === 'agent' ? ['--literal-pathspecs'] : []),
    ...[...own, ...config].flatMap((pair) => ['-c', pair]),
    command,
    ...(COMPARING.has(command) ? ['--ignore-submodules=dirty'] : []),
    ...args,
  ];
}

/** Of git's variables these say who somebody is and how they sign in. All others lead to another repository, start programs or change what git prints. */
const OF_EVERYBODY = /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|CONFIG_GLOBAL|SSH|SSH_COMMAND|SSH_VARIANT|SSL_CAINFO|SSL_CAPATH)$/;
/** In Ralph's own git the person's configuration counts too, wherever they keep it, and how they reach others. */
const OF_THE_PERSON =
  /^GIT_(?:CONFIG_\w+|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH|ASKPASS|ALLOW_PROTOCOL|PROTOCOL\w*|NO_LAZY_FETCH|HTTP_\w+|SSL_\w+|PROXY_\w+|TRACE\w*|TEST_\w+)$/;

interface GitSurroundings {
  readonly user: GitUser;
  /** The complete environment. */
  readonly env: Environment;
  /** Absolute path of the folder in which agents may have put programs. */
  readonly folder: string;
  /** See `GitOptions`. */
  readonly protocols?: string | undefined;
}

/**
 * The environment of git: in English, so that its messages can be told apart; no questions, no pager, no locks that it could do without. What holds a secret by its
 * name stays out unless git is to sign in somewhere: it runs programs that the configuration names (filters), and nothing else here needs a key.
 */
export function toGitEnvironment({ user, env, folder, protocols }: GitSurroundings): Readonly<Record<string, string>> {
  const signsIn = user === 'agent' && protocols !== undefined;
  const isKept = (name: string): boolean => {
    const isOfUse = !name.startsWith('GIT_') || OF_EVERYBODY.test(name) || (user === 'person' && OF_THE_PERSON.test(name));
    return isOfUse && (signsIn || !isSecretName(name));
  };
  const kept = Object.entries(env).flatMap(([name, value]) => (value !== undefined && isKept(name) ? [[name, value] as const] : []));
  return {
    ...Object.fromEntries(kept),
    ...toSearchPath(user, env['PATH'], folder),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'true',
    ...(user === 'agent' && toSilence(protocols)),
  };
}

/** A `git` that lies in the folder itself may be an agent's: of Ralph's own git the folders there come last (filters may be there), of an agent's they do not count. */
function toSearchPath(user: GitUser, searchPath: string | undefined, folder: string): { readonly PATH?: string } {
  if (searchPath === undefined) return {};
  const { outside, inside } = splitSearchPath(searchPath, folder);
  return { PATH: [outside, ...(user === 'person' ? [inside] : [])].filter((part) => part !== '').join(delimiter) };
}

/** Nobody is asked and nobody is spoken to, but by the protocols that are named. */
function toSilence(protocols: string | undefined): Readonly<Record<string, string>> {
  return {
    // How this machine signs in to others may stand in the system's configuration; nothing else does that is needed here.
    ...(protocols === undefined && { GIT_CONFIG_NOSYSTEM: '1' }),
    // Set but empty: git then asks nobody, whatever the configuration and SSH_ASKPASS say.
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: protocols ?? 'none',
  };
}
