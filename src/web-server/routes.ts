import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access } from './access.ts';
import { answerJson, answerPage } from './answer.ts';
import type { StreamTimes } from './event-stream.ts';
import { createListStreams } from './list-streams.ts';
import { createOpenRuns } from './open-runs.ts';
import { parseQuery } from './query.ts';
import { readBody } from './read-body.ts';
import { Refused, toBadRequest } from './refused.ts';
import { createRunOrders, ORDER_NAMES, type OrderName } from './run-orders.ts';
import { DEAR_READERS, RUN_READERS } from './run-routes.ts';
import { createRunStreams } from './run-streams.ts';
import type { ServedRuns, WebPage } from './served-runs.ts';
import { findSocketUsers } from './socket-user.ts';

export interface RouteParts {
  readonly page: WebPage;
  readonly source: ServedRuns;
  readonly access: Access;
  readonly canSteer: boolean;
  readonly times?: StreamTimes;
}

export interface Routes {
  /** Answers a request that has been checked. Rejects with what is to be refused. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Ends the streams. */
  readonly end: () => void;
}

/** More streams are not open at the same time. */
const MAX_STREAMS = 64;
/** So many dear requests run at the same time, and so many more wait. */
const MAX_DEAR = 2;
const MAX_WAITING = 8;
const RUN_PATH = /^\/api\/runs\/([a-z0-9]{1,64})\/([a-z]{1,20})$/;

export function createRoutes({ page, source, access, canSteer, times }: RouteParts): Routes {
  const runs = createOpenRuns(source);
  const orders = createRunOrders();
  const runStreams = createRunStreams(runs, times);
  const listStreams = createListStreams(source, times);
  const takeTurn = createQueue();
  const readRun = async (key: string, name: string, params: URLSearchParams): Promise<unknown> => {
    const read = RUN_READERS[name] as (typeof RUN_READERS)[string];
    const query = parseQuery(params);
    const run = await runs.read(key);
    const see = async (): Promise<unknown> => runs.look(key, () => read(run, query));
    return DEAR_READERS.has(name) ? takeTurn(see) : see();
  };
  const give = async (key: string, name: OrderName, request: IncomingMessage): Promise<unknown> => {
    if (!canSteer)
      throw new Refused(403, 'web-read-only', 'Runs are only shown here; nothing was done.', { fix: 'Steer with ralph in a terminal.' });
    const body = await readBody(request);
    return orders.give(key, await runs.read(key), name, body);
  };
  const stream = async (response: ServerResponse, params: URLSearchParams): Promise<void> => {
    const query = parseQuery(params);
    const key = query.text('run', 64);
    const from = query.seq('from');
    if (key !== null && !/^[a-z0-9]+$/.test(key)) throw toBadRequest('"run" is the key of a run.');
    const run = key === null ? null : await runs.read(key);
    if (runStreams.count() + listStreams.count() >= MAX_STREAMS)
      throw new Refused(503, 'web-busy', `${MAX_STREAMS} pages are already following.`, { fix: 'Close some.' });
    if (key === null || run === null) listStreams.add(response);
    else runStreams.add(response, run, key, from);
  };
  return {
    answer: async (request, response) => {
      const { pathname, searchParams } = new URL(`http://localhost${request.url ?? '/'}`);
      if (pathname === '/') return requireMethod(request, 'GET', () => answerPage(response, page));
      if (pathname === '/api/session' && request.method === 'POST') return answerJson(response, await swap(access, request));
      requireToken(access, request);
      if (pathname === '/api/session') return requireMethod(request, 'POST', () => undefined);
      if (pathname === '/api/runs') return requireMethod(request, 'GET', async () => answerJson(response, await source.list()));
      if (pathname === '/api/stream') return requireMethod(request, 'GET', () => stream(response, searchParams));
      const [, key = '', name = ''] = RUN_PATH.exec(pathname) ?? [];
      const order = ORDER_NAMES.find((known) => known === name);
      if (order !== undefined) return requireMethod(request, 'POST', async () => answerJson(response, await give(key, order, request)));
      if (Object.hasOwn(RUN_READERS, name))
        return requireMethod(request, 'GET', async () => answerJson(response, await readRun(key, name, searchParams)));
      throw new Refused(404, 'web-route', 'There is nothing at this address.');
    },
    end: () => {
      runStreams.end();
      listStreams.end();
    },
  };
}

function requireToken(access: Access, { headers }: IncomingMessage): void {
  if (access.admits(headers.authorization)) return;
  throw new Refused(401, 'web-token', 'Only somebody with the token may ask this.', {
    fix: 'Open the address that ralph web has printed.',
  });
}

/** The method that a refused one should have been, for the header `Allow`. */
export class WrongMethod extends Refused {
  readonly allow: string;

  constructor(allow: string) {
    super(405, 'web-method', `Only ${allow} does something here.`);
    this.allow = allow;
  }
}

async function requireMethod({ method }: IncomingMessage, allow: 'GET' | 'POST', act: () => unknown): Promise<void> {
  if (method !== allow) throw new WrongMethod(allow);
  await act();
}

async function swap(access: Access, request: IncomingMessage): Promise<{ readonly token: string }> {
  requireOwnUser(request);
  const { code } = await readBody(request);
  const token = typeof code === 'string' ? access.swapCode(code) : null;
  if (token !== null) return { token };
  throw new Refused(401, 'web-code', 'This code does not count, or does not count any more.', {
    why: 'Each counts once and for ten minutes.',
    fix: 'Where ralph web runs it says how another one is had.',
  });
}

/** The words by which a program was started can be read by everybody on the machine, and so the code in what a browser is told to open. */
function requireOwnUser({ socket }: IncomingMessage): void {
  const { remotePort = 0, localPort = 0 } = socket;
  const own = [0, process.getuid?.()];
  if (findSocketUsers({ clientPort: remotePort, serverPort: localPort }).every((user) => own.includes(user))) return;
  throw new Refused(403, 'web-user', 'The code is for the person who started ralph web.', {
    why: 'This comes from another user of the machine.',
  });
}

/** Lets few in at a time. */
function createQueue(): <Result>(act: () => Promise<Result>) => Promise<Result> {
  let working = 0;
  const waiting: (() => void)[] = [];
  return async (act) => {
    if (working >= MAX_DEAR) {
      if (waiting.length >= MAX_WAITING)
        throw new Refused(503, 'web-busy', 'Too much is looked for at the same time.', { fix: 'Try again.' });
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    working += 1;
    try {
      return await act();
    } finally {
      working -= 1;
      waiting.shift()?.();
    }
  };
}
