import type { FrameNews } from '../../wire/frame-news.ts';
import type { OrderBodies } from '../../wire/orders.ts';
import type { RunList } from '../../wire/run-list.ts';
import { fetchWith, JSON_TYPE, NoAnswerError, readErrorText } from './fetch-with.ts';
import type { PageSource, RunSource, SendOrder, TellLink } from './page-source.ts';
import type { KeptToken } from './session.ts';
import { followShared } from './shared-stream.ts';

/** The runs that a server has, asked for with the token. `canSteer`: whether orders are sent at all. */
export function createHttpSource(token: KeptToken, canSteer: () => boolean): PageSource {
  const get = <Value>(path: string, values: Values = {}): Promise<Value> => ask<Value>(`${path}${toQuery(values)}`, token);
  return {
    isLive: true,
    list: () => get<RunList>('/api/runs'),
    followList: (call, tell) => followShared<RunList>({ name: 'runs', path: '/api/stream', event: 'runs', token }, call, tell),
    open: (key) => openRun(key, { get, token, canSteer }),
  };
}

type Values = Readonly<Record<string, string | number | null | undefined>>;

interface Connection {
  readonly get: <Value>(path: string, values?: Values) => Promise<Value>;
  readonly token: KeptToken;
  readonly canSteer: () => boolean;
}

function openRun(key: string, { get, token, canSteer }: Connection): RunSource {
  const base = `/api/runs/${key}`;
  const send: SendOrder = (kind, body) => {
    const order = { ...body, command: createCommand() } as OrderBodies[typeof kind];
    return sendAgain(() => post(`${base}/${kind}`, token, order));
  };
  return {
    key,
    asOf: null,
    leftOut: '',
    damage: null,
    frame: (seq) => get(`${base}/frame`, { seq }),
    follow: (call: (news: FrameNews) => void, tell: TellLink) =>
      followShared<FrameNews>({ name: key, path: `/api/stream?run=${key}`, event: 'frame', token }, call, tell),
    turns: (order) => get(`${base}/turns`, { ...order }),
    events: (order) => get(`${base}/events`, { ...order }),
    timeline: (slots) => get(`${base}/timeline`, { slots }),
    picture: () => get(`${base}/picture`),
    turn: (place, seq) => get(`${base}/turn`, { place, seq }),
    text: (turn, part, range) => get(`${base}/text`, { turn, part, ...range }),
    diff: async (turn) => (await get<{ patch: string | null }>(`${base}/diff`, { turn })).patch,
    index: (turn) => get(`${base}/index`, { turn }),
    evidence: (number, range) => get(`${base}/evidence`, { number, ...range }),
    search: (words, limit) => get(`${base}/search`, { words, limit }),
    get order() {
      return canSteer() ? send : null;
    },
  };
}

function toQuery(values: Values): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== null && value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

async function ask<Value>(path: string, token: KeptToken): Promise<Value> {
  return read<Value>(await fetchWith(token, path));
}

async function post<Value>(path: string, token: KeptToken, body: object): Promise<Value> {
  return read<Value>(await fetchWith(token, path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) }));
}

async function read<Value>(response: Response): Promise<Value> {
  if (response.ok) return (await response.json()) as Value;
  throw new Error(await readErrorText(response));
}

/** How long after a connection that broke the same order is sent again; it is carried out once. */
const AGAIN_MS = [300, 1000];

/** Sends until somebody answers; what is refused is not sent again. */
async function sendAgain<Value>(send: () => Promise<Value>): Promise<Value> {
  for (const pauseMs of AGAIN_MS) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return send();
}

/** A name that no other order has. `crypto.randomUUID` is not there for a page of another machine. */
function createCommand(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
