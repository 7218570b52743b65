import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import type { ToolContext } from '../../tool/tool.ts';

/** What programs need to be found, to speak, to store, and to publish events; nothing in it opens a door. */
const HARMLESS = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TZ', 'LANG', 'LANGUAGE', 'LC_*', 'TERM', 'COLORTERM', 'COLUMNS', 'LINES', 'PWD'],
  ...['TMPDIR', 'TMP', 'TEMP', 'XDG_*', 'CI', 'NO_COLOR', 'FORCE_COLOR', 'EDITOR', 'HOSTNAME', 'DEBIAN_FRONTEND'],
  ...['NODE_ENV', 'NODE_PATH', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'NVM_DIR', 'VOLTA_HOME', 'FNM_*', 'PNPM_HOME', 'COREPACK_*'],
  ...['BUN_INSTALL', 'DENO_DIR', 'DENO_INSTALL', 'npm_config_cache', 'npm_config_prefix', 'npm_config_registry', 'npm_config_userconfig'],
  ...[
    'GOPATH',
    'GOROOT',
    'GOCACHE',
    'GOMODCACHE',
    'GOFLAGS',
    'GOPROXY',
    'GOTOOLCHAIN',
    'GOBIN',
    'CGO_ENABLED',
    'CARGO_HOME',
    'CARGO_TARGET_DIR',
  ],
  ...[
    'RUSTUP_HOME',
    'RUSTUP_TOOLCHAIN',
    'RUSTFLAGS',
    'RUST_BACKTRACE',
    'JAVA_HOME',
    'MAVEN_HOME',
    'M2_HOME',
    'GRADLE_HOME',
    'GRADLE_USER_HOME',
  ],
  ...[
    'PYTHON*',
    'VIRTUAL_ENV',
    'CONDA_*',
    'PYENV_*',
    'POETRY_HOME',
    'UV_*',
    'PIP_CACHE_DIR',
    'GEM_HOME',
    'GEM_PATH',
    'RBENV_*',
    'BUNDLE_PATH',
  ],
  ...[
    'DOTNET_*',
    'NUGET_PACKAGES',
    'PHP_INI_SCAN_DIR',
    'COMPOSER_HOME',
    'ASDF_*',
    'MISE_*',
    'SDKMAN_*',
    'ANDROID_HOME',
    'CC',
    'CXX',
    'MAKEFLAGS',
  ],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'RALPH_*'],
  ...['SystemRoot', 'ComSpec', 'PATHEXT', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE', 'ProgramFiles'],
];

/** Names that hold what opens a door, however harmless their beginning is. */
const SECRET =
  /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIALS?|AUTH|COOKIE|DSN)(?:S|_ID)?(?:_|$)|APIKEY|ACCESS_?KEY|PRIVATE_?KEY/i;

/**
 * The environment of programs that a model has a say in: shell commands, and the project's own checks, whose code it may have written. Keys, tokens
 * and whatever else Ralph was started with stay out; what a project needs beside is named by `passEnv`.
 */
export function toProgramEnvironment({ env, passEnv = [] }: Pick<ToolContext, 'env' | 'passEnv'>): Record<string, string> {
  const isWanted = (name: string, value: string): boolean =>
    passEnv.some((pattern) => matches(pattern, name)) ||
    (HARMLESS.some((pattern) => matches(pattern, name)) && !SECRET.test(name) && !hasUserInfo(value));
  const kept = Object.entries(env).filter(([name, value]) => isWanted(name, value));
  // No program has a terminal to draw on, and a page of a manual must not wait for a key.
  return { ...Object.fromEntries(kept), TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** The address of a proxy with the name and the password for it. */
function hasUserInfo(value: string): boolean {
  return /:\/\/[^/\s@]*@/.test(value);
}

type PathContext = Pick<ToolContext, 'env' | 'jail'>;

/**
 * Where a program is, looked for as a shell does, but never in a folder that agents can write to: the workspace's `node_modules/.bin` is on the PATH
 * of whatever npm starts, and a tool that only reads must not run what lies there. `null` where there is none.
 */
export async function findSafeProgram(name: string, context: PathContext): Promise<string | null> {
  for (const folder of (await toSafePath(context)).split(delimiter)) {
    const path = join(folder, name);
    if (folder !== '' && (await isProgram(path))) return path;
  }
  return null;
}

/** The PATH without relative folders and without those of the workspace. */
export async function toSafePath({ env, jail }: PathContext): Promise<string> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  const checked = await Promise.all(folders.map(async (folder) => ({ folder, real: await toReal(folder) })));
  return checked
    .filter(({ folder, real }) => isOutside(jail.workspace, folder) && isOutside(jail.workspace, real))
    .map(({ folder }) => folder)
    .join(delimiter);
}

function isOutside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way.startsWith('..') || isAbsolute(way);
}

async function toReal(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
