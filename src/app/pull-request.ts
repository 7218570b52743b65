import { delimiter, join } from 'node:path';
import { isJsonObject, type Json, parseJson } from '../core/index.ts';
import { isProgram, runCommand, splitSearchPath } from '../process/index.ts';
import { withoutToken } from './people.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** By what a draft is opened; `files`: by nobody, and why. */
export type DraftWay =
  | { readonly kind: 'gh'; readonly program: string }
  | { readonly kind: 'api'; readonly api: string; readonly repository: string; readonly token: string }
  | { readonly kind: 'files'; readonly why: string };

/** What is to be opened. */
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

/** A draft that is there now. */
export interface OpenedDraft {
  readonly url: string;
  /** It was there before. */
  readonly isOld: boolean;
}

/** GitHub could not do it; the message is a sentence without any token in it. */
class DraftProblem extends Error {}

const GITHUB_API = 'https://api.github.com';
const TIMEOUT_MS = 60_000;

/** `gh` where it is there, else the API where a token is. A program in the folder itself is none: an agent may have put it there. */
export function findDraftWay(folder: string, urls: readonly string[], env: Environment): DraftWay {
  if (urls.every((url) => url === '')) return { kind: 'files', why: 'the repository has no remote' };
  const program = findProgram('gh', splitSearchPath(env['PATH'], folder).outside);
  if (program !== null) return { kind: 'gh', program };
  const token = [env['GH_TOKEN'], env['GITHUB_TOKEN']].find((value) => value !== undefined && value !== '');
  if (token === undefined) return { kind: 'files', why: '`gh` is not installed, and neither GH_TOKEN nor GITHUB_TOKEN is set' };
  const place = urls.map(parseRemote).find((parsed) => parsed !== null) ?? null;
  const api = env['GITHUB_API_URL'];
  if (place === null) return { kind: 'files', why: 'the address of the remote names no repository of GitHub' };
  // A token is for one host: it is sent nowhere else because of what a remote says.
  if (api === undefined && place.host !== 'github.com')
    return { kind: 'files', why: `${place.host} is not github.com; GITHUB_API_URL says where its API is` };
  return { kind: 'api', api: (api ?? GITHUB_API).replace(/\/+$/, ''), repository: place.repository, token };
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

/** `git@host:owner/name.git`, `https://host/owner/name`, `ssh://git@host/owner/name`. */
function parseRemote(url: string): { readonly host: string; readonly repository: string } | null {
  const match = /^(?:[a-z+]+:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/|(?:[^@/]+@)?([^/:]+):)([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/i.exec(url);
  const host = match?.[1] ?? match?.[2];
  return host === undefined || match?.[3] === undefined ? null : { host: host.toLowerCase(), repository: match[3] };
}

/**
 * Opens a draft, or finds the one that is open for the branch.
 *
 * @throws DraftProblem
 */
export function openDraft(way: Exclude<DraftWay, { kind: 'files' }>, order: DraftOrder): Promise<OpenedDraft> {
  return way.kind === 'gh' ? openByProgram(way.program, order) : openByApi(way, order);
}

async function openByProgram(program: string, order: DraftOrder): Promise<OpenedDraft> {
  const { branch, base, title, bodyFile, cwd, env } = order;
  const call = async (args: readonly string[]): Promise<string> => {
    const ended = await runCommand({
      command: program,
      args,
      cwd,
      env: { ...withoutToken(env), PATH: splitSearchPath(env['PATH'], cwd).outside, GH_PROMPT_DISABLED: '1', NO_COLOR: '1' },
      timeoutMs: TIMEOUT_MS,
    });
    if (ended.exitCode === 0) return ended.stdout;
    throw new DraftProblem(`gh ${args.slice(0, 2).join(' ')}: ${withoutSecrets(toLastLines(ended.stderr), env) || 'it did not end well'}`);
  };
  const known = parseJson(await call(['pr', 'list', '--head', branch, '--state', 'open', '--json', 'url', '--limit', '1']));
  const old = Array.isArray(known) ? readText(known[0], 'url') : null;
  if (old !== null) return { url: old, isOld: true };
  const said = await call(['pr', 'create', '--draft', '--head', branch, '--base', base, '--title', title, '--body-file', bodyFile]);
  return { url: /https?:\/\/\S+/.exec(said)?.[0] ?? said.trim().slice(0, 300), isOld: false };
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
      throw new DraftProblem(`${api} did not answer: ${withoutSecrets(error instanceof Error ? error.message : String(error), env)}`);
    }
    const answer = parseJson((await response.text()).slice(0, 1 << 20)) ?? null;
    if (response.ok) return answer;
    throw new DraftProblem(`${api} answered ${response.status}: ${withoutSecrets(toMessage(answer), env)}`);
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

/** What was said, without the tokens of this environment. */
function withoutSecrets(text: string, env: Environment): string {
  return ['GH_TOKEN', 'GITHUB_TOKEN'].reduce((shown, name) => {
    const value = env[name] ?? '';
    return value === '' ? shown : shown.replaceAll(value, `[${name}]`);
  }, text);
}
