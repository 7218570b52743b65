import { isJsonObject, type Json, parseJson } from '../../../core/values/json.ts';
import { accept, type Refusal, type Result, refuse } from '../../../core/values/result.ts';
import type { ToolContext } from '../../tool/tool.ts';
import { sendRequest } from '../web/http-request.ts';

export interface GithubOrder {
  readonly method: 'GET' | 'POST';
  /** Path and query below the API's address, such as `/user/repos`; its parts encoded. */
  readonly path: string;
  readonly body?: Json;
}

/** What GitHub answered, whatever its status. */
export interface GithubAnswer {
  readonly status: number;
  readonly body: Json;
}

const TOKENS = ['GITHUB_TOKEN', 'GH_TOKEN'];
const DEFAULT_API = 'https://api.github.com';
const TIMEOUT_MS = 30_000;
const MAX_BYTES = 2_000_000;
const MAX_MESSAGE_CHARACTERS = 500;

/** Told where the tools of GitHub are not offered. */
export function whyNoGithub({ env }: Pick<ToolContext, 'env'>): string | null {
  return findToken(env) === undefined ? 'no token in GITHUB_TOKEN or GH_TOKEN' : null;
}

/** Asks GitHub's REST API, at `GITHUB_API_URL` where that is set. The token is sent there and nowhere else; redirects are not followed. */
export async function askGithub({ method, path, body }: GithubOrder, { env, signal }: ToolContext): Promise<Result<GithubAnswer>> {
  const token = findToken(env);
  if (token === undefined)
    return refuse({ reason: 'There is no token for GitHub.', advice: 'A person has to set GITHUB_TOKEN; go on without.' });
  const base = toApi(env);
  if (base === null)
    return refuse({ reason: 'GITHUB_API_URL is not an https address.', advice: 'A person has to fix it; continue without it.' });
  const sent = await sendRequest({
    url: new URL(`${base}${path}`),
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'user-agent': 'ralph-hats',
      'x-github-api-version': '2022-11-28',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    maxBytes: MAX_BYTES,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  if (!sent.ok) return refuse({ reason: `GitHub cannot be asked: ${sent.refused}.`, advice: 'Try again later, or go on without.' });
  const { status, body: bytes } = sent.value;
  return accept({ status, body: parseJson(bytes.toString('utf8')) ?? null });
}

/** What a model is told of an answer that is a refusal; the token is in no part of it. */
export function explainGithub({ status, body }: GithubAnswer, env: ToolContext['env']): Refusal {
  const said = isJsonObject(body) && typeof body['message'] === 'string' ? body['message'] : '';
  const errors = isJsonObject(body) && Array.isArray(body['errors']) ? body['errors'].map(toErrorText).filter((text) => text !== '') : [];
  const text = hideToken([said, ...errors].join('; ').slice(0, MAX_MESSAGE_CHARACTERS), env);
  return { reason: `GitHub refused (${status})${text === '' ? '' : `: ${text}`}.`, advice: ADVICE[status] ?? '' };
}

const ADVICE: Readonly<Record<number, string>> = {
  301: 'The repository has moved: a person has to correct the address of the remote.',
  401: 'The token is not valid: a person has to set another. Go on without.',
  403: 'The token may not do that, or too much was asked in a short time. Go on without, and say so.',
  404: 'There is no such repository, or the token may not see it.',
  422: 'Correct what GitHub names, and try again.',
};

function toErrorText(error: Json): string {
  if (typeof error === 'string') return error;
  if (!isJsonObject(error)) return '';
  if (typeof error['message'] === 'string') return error['message'];
  return [error['field'], error['code']].filter((part) => typeof part === 'string').join(' ');
}

function findToken(env: ToolContext['env']): string | undefined {
  return TOKENS.map((name) => env[name]?.trim()).find((token) => token !== undefined && /^[\x21-\x7e]+$/.test(token));
}

function hideToken(text: string, env: ToolContext['env']): string {
  const token = findToken(env);
  return token === undefined ? text : text.replaceAll(token, '[hidden]');
}

/** A token goes over the wire in the clear only on this machine. */
function toApi(env: ToolContext['env']): string | null {
  const text = env['GITHUB_API_URL'] ?? DEFAULT_API;
  if (!URL.canParse(text)) return null;
  const { protocol, hostname } = new URL(text);
  const isLocal = protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  return protocol === 'https:' || isLocal ? text.replace(/\/+$/, '') : null;
}

export interface GithubRepository {
  readonly owner: string;
  readonly name: string;
}

const NAME = /^[A-Za-z0-9._-]{1,100}$/;
const SCP_LIKE = /^(?:[^@/]+@)?([^:/]+):(.+)$/;

/**
 * The repository that the address of a remote names; `null` where it is not on GitHub.
 *
 * @param env where `GITHUB_SERVER_URL` says which host is GitHub's, for those who have their own
 */
export function parseGithubUrl(address: string, env: ToolContext['env']): GithubRepository | null {
  const { host, path } = split(address);
  if (host.toLowerCase() !== findHost(env)) return null;
  const [owner = '', repository = '', ...rest] = path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
    .split('/');
  return rest.length === 0 && isRepositoryName(owner) && isRepositoryName(repository) ? { owner, name: repository } : null;
}

/** True for what GitHub takes as the name of an owner or a repository; no name that means a folder. */
export function isRepositoryName(name: string): boolean {
  return NAME.test(name) && name !== '.' && name !== '..';
}

function split(address: string): { host: string; path: string } {
  if (URL.canParse(address) && address.includes('://')) {
    const { hostname, pathname } = new URL(address);
    return { host: hostname, path: pathname };
  }
  const [, host = '', path = ''] = SCP_LIKE.exec(address) ?? [];
  return { host, path };
}

function findHost(env: ToolContext['env']): string {
  const server = env['GITHUB_SERVER_URL'] ?? '';
  return URL.canParse(server) ? new URL(server).hostname : 'github.com';
}
