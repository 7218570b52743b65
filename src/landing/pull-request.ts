import { delimiter, join } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import { isJsonObject, type Json, parseJson } from '../core/values/json.ts';
import { isProgram } from '../process/isolation.ts';
import { splitSearchPath } from '../process/split-search-path.ts';
import { runToEnd } from '../process/start-process.ts';
import { withoutToken } from '../runs/people.ts';

/** By what a draft is opened; `files`: by nobody, and why. */
export type DraftWay =
  /** `repository`: `host/owner/name`; null: what `gh` makes of the remotes. */
  | { readonly kind: 'gh'; readonly program: string; readonly repository: string | null }
  | { readonly kind: 'api'; readonly api: string; readonly repository: string; readonly token: string }
  | { readonly kind: 'files'; readonly why: string };

export interface DraftOrder {
  readonly title: string;
  readonly body: string;
  /** Absolute path of a file with the same. */
  readonly bodyFile: string;
  readonly branch: string;
  readonly base: string;
  /** Where `gh` is called. */
  readonly cwd: string;
  readonly env: Environment;
}

export interface OpenedDraft {
  readonly url: string;
  /** It was there before. */
  readonly isOld: boolean;
}

/** GitHub could not do it; the message is a sentence without any token in it. */
class DraftProblem extends Error {}

const GITHUB = 'github.com';
const GITHUB_API = 'https://api.github.com';
const PLAIN_TOKENS = ['GH_TOKEN', 'GITHUB_TOKEN'];
const ENTERPRISE_TOKENS = ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];
const TIMEOUT_MS = 60_000;

/**
 * `gh` where it is there, else the API where a token is. A program in the folder itself is none: an agent may have put it there. What is no GitHub is written into
 * files, before anything is pushed: of other hosts than github.com `gh` is asked whether it is signed in there.
 */
export async function findDraftWay(folder: string, urls: readonly string[], env: Environment): Promise<DraftWay> {
  if (urls.every((url) => url === '')) return { kind: 'files', why: 'the repository has no remote' };
  const places = urls.map(parseRemote).filter((place) => place !== null);
  const place = places.find(({ repository }) => repository !== null) ?? places[0];
  const program = findProgram('gh', splitSearchPath(env['PATH'], folder).outside);
  if (place === undefined) return { kind: 'files', why: 'the address of the remote is a folder, and no forge' };
  const { host, repository } = place;
  // A name that the person's own ssh knows: `gh` asks it.
  const isAlias = !host.includes('.');
  if (program !== null && isAlias) return { kind: 'gh', program, repository: null };
  if (repository === null)
    return { kind: 'files', why: `the address of the remote names no repository of GitHub, but something else on ${host}` };
  if (program === null) return findApi(host, repository, env);
  if (host === GITHUB || (await isSignedIn(program, host, folder, env)))
    return { kind: 'gh', program, repository: `${host}/${repository}` };
  return { kind: 'files', why: `\`gh\` is not signed in to ${host}; if that is a GitHub: gh auth login --hostname ${host}` };
}

async function isSignedIn(program: string, host: string, folder: string, env: Environment): Promise<boolean> {
  return (await callGh(program, ['auth', 'status', '--hostname', host], { cwd: folder, env })).exitCode === 0;
}

function findApi(host: string, repository: string, env: Environment): DraftWay {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const names = host === GITHUB ? PLAIN_TOKENS : [...ENTERPRISE_TOKENS, ...PLAIN_TOKENS];
  const name = names.find(isSet);
  if (name === undefined) return { kind: 'files', why: '`gh` is not installed, and neither GH_TOKEN nor GITHUB_TOKEN is set' };
  // A token is for one host: it is sent nowhere else because of what a remote says, and asks for no repository of that name elsewhere.
  const api = isSet('GITHUB_API_URL') ? (env['GITHUB_API_URL'] ?? '') : host === GITHUB ? GITHUB_API : null;
  if (api === null) return { kind: 'files', why: `${host} is not github.com; GITHUB_API_URL sets the address of its API` };
  if (!isApiOf(api, host)) return { kind: 'files', why: `GITHUB_API_URL is not the API of ${host}, to which the remote leads` };
  return { kind: 'api', api: api.replace(/\/+$/, ''), repository, token: env[name] ?? '' };
}

/** On the host itself, beside it, or on this machine. */
function isApiOf(api: string, host: string): boolean {
  if (!URL.canParse(api)) return false;
  const { hostname, protocol } = new URL(api);
  if (['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return true;
  return protocol === 'https:' && (hostname === `api.${host}` || (hostname === host && host !== GITHUB));
}

function findProgram(name: string, searchPath: string): string | null {
  return (
    searchPath
      .split(delimiter)
      .filter((folder) => folder !== '')
      .map((folder) => join(folder, name))
      .find(isProgram) ?? null
  );
}

/**
 * Opens a draft, or finds the one that is open for the branch.
 *
 * @throws DraftProblem
 */
export function openDraft(way: Exclude<DraftWay, { kind: 'files' }>, order: DraftOrder): Promise<OpenedDraft> {
  return way.kind === 'gh' ? openByProgram(way, order) : openByApi(way, order);
}

async function openByProgram({ program, repository }: Extract<DraftWay, { kind: 'gh' }>, order: DraftOrder): Promise<OpenedDraft> {
  const { branch, base, title, bodyFile, env } = order;
  const call = async (words: readonly string[]): Promise<string> => {
    // Else it may choose another remote than the one that the branch went to.
    const args = [...words, ...(repository === null ? [] : ['--repo', repository])];
    const ended = await callGh(program, args, order);
    if (ended.exitCode === 0) return ended.stdout;
    throw new DraftProblem(`gh ${words.slice(0, 2).join(' ')}: ${withoutLogins(toLastLines(ended.stderr), env) || 'it did not end well'}`);
  };
  const known = parseJson(await call(['pr', 'list', '--head', branch, '--state', 'open', '--json', 'url', '--limit', '1']));
  const old = Array.isArray(known) ? readText(known[0], 'url') : null;
  if (old !== null) return { url: old, isOld: true };
  const said = await call(['pr', 'create', '--draft', '--head', branch, '--base', base, '--title', title, '--body-file', bodyFile]);
  return { url: /https?:\/\/\S+/.exec(said)?.[0] ?? said.trim().slice(0, 300), isOld: false };
}

/** Its tokens are in the environment, never among the words. */
function callGh(program: string, args: readonly string[], { cwd, env }: Pick<DraftOrder, 'cwd' | 'env'>): ReturnType<typeof runToEnd> {
  return runToEnd({
    command: program,
    args,
    cwd,
    env: { ...withoutToken(env), PATH: splitSearchPath(env['PATH'], cwd).outside, GH_PROMPT_DISABLED: '1', NO_COLOR: '1' },
    timeoutMs: TIMEOUT_MS,
  });
}

const LAST_LINES = 6;

function toLastLines(text: string): string {
  return text.trim().split('\n').slice(-LAST_LINES).join(' ').slice(0, 1000);
}

async function openByApi(way: Extract<DraftWay, { kind: 'api' }>, { title, body, branch, base, env }: DraftOrder): Promise<OpenedDraft> {
  const { api, repository, token } = way;
  const call = async (path: string, content: Json | null): Promise<Json> => {
    let response: Response;
    try {
      response = await fetch(`${api}/repos/${repository}/${path}`, {
        method: content === null ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/vnd.github+json',
          'user-agent': 'ralph',
          ...(content !== null && { 'content-type': 'application/json' }),
        },
        ...(content !== null && { body: JSON.stringify(content) }),
        // A token is not carried to wherever a server points.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw new DraftProblem(`${api} did not answer: ${withoutLogins(toErrorMessage(error), env)}`);
    }
    const answer = parseJson((await response.text()).slice(0, 1 << 20)) ?? null;
    if (response.ok) return answer;
    throw new DraftProblem(`${api} answered ${response.status}: ${withoutLogins(toMessage(answer), env)}`);
  };
  const owner = repository.split('/')[0] ?? '';
  const open = await call(`pulls?state=open&head=${encodeURIComponent(`${owner}:${branch}`)}`, null);
  const old = Array.isArray(open) ? readText(open[0], 'html_url') : null;
  if (old !== null) return { url: old, isOld: true };
  const made = await call('pulls', { title, body, head: branch, base, draft: true });
  return { url: readText(made, 'html_url') ?? '', isOld: false };
}

function readText(value: Json | undefined, key: string): string | null {
  const text = isJsonObject(value ?? null) ? (value as { readonly [name: string]: Json })[key] : undefined;
  return typeof text === 'string' && text !== '' ? text.slice(0, 500) : null;
}

function toMessage(answer: Json): string {
  if (!isJsonObject(answer)) return 'nothing that could be read';
  const { message, errors } = answer;
  const details = Array.isArray(errors) ? errors.flatMap((error) => readText(error, 'message') ?? []) : [];
  return [typeof message === 'string' ? message : '', ...details].join('; ').slice(0, 500);
}

/** What was said, without the tokens of this environment, and without what stands before the host of a web address. */
export function withoutLogins(text: string, env: Environment): string {
  return [...PLAIN_TOKENS, ...ENTERPRISE_TOKENS].reduce(
    (shown, name) => {
      const value = env[name] ?? '';
      return value === '' ? shown : shown.replaceAll(value, `[${name}]`);
    },
    text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)(?!git@)[^/\s'"]*@/gi, '$1'),
  );
}

/** Where the address of a remote leads, as far as a forge can be asked about it. */
interface RemotePlace {
  /** In small letters. A host without a dot is a name of the person's own for one (`Host work` of ssh). */
  readonly host: string;
  /** `owner/name`; null: the path has other parts than these two. */
  readonly repository: string | null;
}

/** `ssh://git@host:22/owner/name.git`, `https://host/owner/name`. A password may have an `@` in it; what stands behind the last one is the host. */
const WEB = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/:@?#]+)(?::\d*)?\/+([^?#]*)/i;
/** `git@host:owner/name.git`; a single letter is a drive of Windows, a path is none. */
const SHORT = /^(?:[^@/:]+@)?([^/:@]{2,}):(?!\/\/)\/*(.*)$/;

/** Other names of the same host. */
const SAME: Readonly<Record<string, string>> = { 'ssh.github.com': 'github.com', 'www.github.com': 'github.com' };

/** Null for a folder and a file on this machine. */
export function parseRemote(url: string): RemotePlace | null {
  if (/^file:/i.test(url)) return null;
  const [, found, path = ''] = WEB.exec(url) ?? SHORT.exec(url) ?? [];
  if (found === undefined) return null;
  const host = found.toLowerCase();
  const repository = /^([\w.-]+\/[\w.-]+?)(?:\.git)?\/*$/.exec(path)?.[1] ?? null;
  return { host: SAME[host] ?? host, repository: repository?.split('/').some((part) => /^\.*$/.test(part)) ? null : repository };
}
