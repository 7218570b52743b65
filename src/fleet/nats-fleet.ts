import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DeliverPolicy, JsMsg } from '@nats-io/jetstream';
import { type Json, parseJson } from '../core/values/json.ts';
import type { Blobs, Fleet, Reports, SteerLine, Wires, WorkerList } from '../ports/fleet.ts';
import { parseKey, requirePart, toKey } from './fleet-names.ts';

import { consume, keepReading, type Reading } from './keep-reading.ts';
import { parseWorker } from './kept-states.ts';
import { hearOnce } from './messages.ts';
import type { NatsPlace } from './nats-place.ts';
import { createOffers, createQueue } from './nats-queue.ts';
import { createKeptWords, createRunLeases, createRunLog } from './nats-runs.ts';
import {
  askServerTime,
  insist,
  isForbidden,
  listBucketKeys,
  type NatsServer,
  openNatsServer,
  REPORTS,
  toForbidden,
  toJsonBytes,
  toUtf8Text,
  unlessConflict,
  WORKERS,
} from './nats-server.ts';
import { createBlobReader } from './read-blob.ts';
import { parseReport } from './work-record.ts';

/**
 * Connects to a fleet on a server of NATS JetStream. Orders are in a bucket whose records change by compare-and-swap alone, reports in a stream, files in an object
 * store; what passes by goes over plain subjects.
 *
 * @throws RalphError `fleet-unreachable`
 */
export async function connectNats(place: NatsPlace): Promise<Fleet> {
  const server = await openNatsServer(place);
  const offers = createOffers(server);
  return {
    // A server that lost what it kept is an empty one.
    check: async () => ((await server.askMade()) === server.madeAt ? 'same' : 'other'),
    queue: createQueue(server, offers),
    reports: createReports(server),
    blobs: createBlobs(server),
    wires: createWires(server),
    workers: createWorkerList(server),
    log: createRunLog(server),
    leases: createRunLeases(server),
    steer: createSteerLine(server),
    words: createKeptWords(server),
    close: async () => {
      // A server that is away does not say that it reads no more.
      await Promise.race([offers.close(), pause(CLOSE_MS, undefined, { ref: false })]);
      await server.connection.close();
    },
  };
}

const CLOSE_MS = 1000;
/** The library's own word, which is not loaded for it. */
const FROM_SEQUENCE: DeliverPolicy = 'by_start_sequence';

function createReports({ stream, manager, connection }: NatsServer): Reports {
  return {
    append: async ({ run, name, worker, number, body }) => {
      const key = toKey({ run, name });
      const msgID = `${key}.${worker}.${number}`;
      await insist(() => stream.publish(`ralph.report.${key}`, toJsonBytes({ worker, number, body }), { msgID }));
    },
    follow: async (run, visit) => {
      requirePart(run);
      let last = 0;
      // The server knows for some minutes only what was reported before.
      const heard = new Set<string>();
      const hear = ({ subject, data }: Pick<JsMsg, 'subject' | 'data'>, isEarly: boolean): void => {
        const id = parseKey(subject.split('.').slice(2).join('.'));
        const report = parseReport(toUtf8Text(data));
        if (id === null || report === null) return;
        const toName = (number: number): string => `${toKey(id)} ${report.worker} ${number}`;
        const isNext = !isEarly || heard.has(toName(report.number - 1));
        if (!isNext || heard.has(toName(report.number))) return;
        visit({ ...id, ...report });
        heard.add(toName(report.number));
      };
      const open = async (): Promise<Reading<JsMsg>> => {
        const start = last === 0 ? {} : { deliver_policy: FROM_SEQUENCE, opt_start_seq: last + 1 };
        return consume(await stream.consumers.get(REPORTS, { filter_subjects: `ralph.report.${run}.>`, ...start }));
      };
      // It passes by before it is kept. What follows on what is known is heard then; its sender does not go on until it is kept, and an account that may not listen hears it when it is.
      const early = connection.subscribe(`ralph.report.${run}.*`, {
        callback: (error, message) => {
          try {
            if (error === null) hear(message, true);
          } catch {
            // As of what passes by.
          }
        },
      });
      const end = keepReading(connection, open, (message) => {
        last = message.seq;
        hear(message, false);
      });
      return async () => {
        early.unsubscribe();
        await end();
      };
    },
    forget: async (run) => {
      requirePart(run);
      await insist(() => manager.streams.purge(REPORTS, { filter: `ralph.report.${run}.>` }));
    },
  };
}

function createBlobs({ blobs }: NatsServer): Blobs {
  const toHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
  return {
    put: async (bytes) => {
      const name = toHash(bytes);
      if ((await insist(() => blobs.info(name))) === null) await insist(() => blobs.putBlob({ name }, bytes));
      return name;
    },
    get: async (hash, reading) => {
      const bytes = isHash(hash) ? await insist(createBlobReader(blobs, hash, reading)) : null;
      reading?.signal?.throwIfAborted();
      return bytes !== null && toHash(bytes) === hash ? bytes : null;
    },
  };
}

/** How long a worker may take to say that it heard. */
const ANSWER_MS = 1000;

/** False: nobody has heard it, or not in time. */
async function request(connection: NatsServer['connection'], subject: string, words: Json): Promise<boolean> {
  try {
    await connection.request(subject, toJsonBytes(words), { timeout: ANSWER_MS });
    return true;
  } catch {
    return false;
  }
}

function createWires({ connection }: NatsServer): Wires {
  const listen = (subject: string, take: (of: string, words: Json, reply: () => void) => void): (() => void) => {
    const subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        const words = error === null ? parseJson(toUtf8Text(message.data)) : undefined;
        if (words === undefined) return;
        try {
          take(message.subject, words, () => void message.respond());
        } catch {
          // What passes by may be anything; an error here would end the reading of the whole connection.
        }
      },
    });
    return () => subscription.unsubscribe();
  };
  return {
    ask: (id, words) => request(connection, `ralph.ask.${toKey(id)}`, words),
    answer: (id, hear) =>
      listen(`ralph.ask.${toKey(id)}`, (_, words, reply) => {
        reply();
        hear(words);
      }),
    show: (id, live) => {
      try {
        connection.publish(`ralph.live.${toKey(id)}`, toJsonBytes(live));
      } catch {
        // It passes by: whoever cannot be shown it reads it at the end.
      }
    },
    watch: (run, see) => {
      requirePart(run);
      return listen(`ralph.live.${run}.*`, (subject, live) => {
        const id = parseKey(subject.split('.').slice(2).join('.'));
        if (id !== null) see(id.name, live);
      });
    },
  };
}

/** The process that has a run waits some seconds until the journal has what it was told. */
const SAID_MS = 10_000;

/** Over subjects of its own, `ralph.steer.<run>`: an account that may take turns need not be let steer. */
function createSteerLine({ connection }: NatsServer): SteerLine {
  const toSubject = (run: string): string => {
    requirePart(run);
    return `ralph.steer.${run}`;
  };
  return {
    ask: async (run, word) => {
      const subject = toSubject(run);
      try {
        const said = await connection.request(subject, toJsonBytes(word), { timeout: SAID_MS });
        return parseJson(toUtf8Text(said.data)) ?? null;
      } catch (error) {
        if (isForbidden(error)) throw toForbidden(run, 'ralph.steer.>', error);
        return null;
      }
    },
    answer: (run, hear) => {
      const take = hearOnce(hear);
      const subscription = connection.subscribe(toSubject(run), {
        callback: (error, message) => {
          if (error !== null) return;
          void take(toUtf8Text(message.data)).then((said) => {
            if (said !== null && !connection.isClosed()) message.respond(toJsonBytes(said));
          });
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}

/**
 * For how long each was silent, by the clock of the server alone: those of two machines are never compared.
 *
 * @param heard when each was heard, in the server's words
 * @param now what the clock of the server says; `null`: it does not say that (before 2.10), and the one that was heard last counts as heard now
 */
export function createSilences(heard: readonly number[], now: number | null): (at: number) => number {
  const until = now ?? Math.max(...heard);
  return (at) => Math.max(0, until - at);
}

function createWorkerList(server: NatsServer): WorkerList {
  const { workers, connection } = server;
  const toSubject = (id: string): string => {
    requirePart(id);
    return `ralph.drain.${id}`;
  };
  /** What cannot be read is nobody's, and is written over. */
  const look = async (id: string): Promise<{ readonly token: string | null; readonly revision: number } | null> => {
    requirePart(id);
    const entry = await insist(() => workers.get(id));
    if (entry?.operation !== 'PUT') return null;
    return { token: parseWorker(parseJson(toUtf8Text(entry.value)))[0]?.token ?? null, revision: entry.revision };
  };
  return {
    tell: async (worker) => {
      for (;;) {
        const kept = await look(worker.id);
        if (kept !== null && kept.token !== null && kept.token !== worker.token) return false;
        const told = await unlessConflict(() =>
          kept === null ? workers.create(worker.id, toJsonBytes(worker)) : workers.update(worker.id, toJsonBytes(worker), kept.revision),
        );
        if (told !== null) return true;
      }
    },
    leave: async ({ id, token }) => {
      const kept = await look(id);
      if (kept?.token === token) await unlessConflict(() => workers.purge(id, { previousSeq: kept.revision }));
    },
    list: async () => {
      const keys = await listBucketKeys(server, WORKERS);
      const entries = await Promise.all(keys.map((key) => insist(() => workers.get(key))));
      const there = entries.flatMap((entry) => (entry?.operation === 'PUT' ? [entry] : []));
      const toSilence = createSilences(
        there.map(({ created }) => created.getTime()),
        await askServerTime(server, WORKERS),
      );
      return there.flatMap(({ created, value }) =>
        parseWorker(parseJson(toUtf8Text(value))).map((worker) => ({ ...worker, silentMs: toSilence(created.getTime()) })),
      );
    },
    drain: (id) => request(connection, toSubject(id), null),
    onDrain: (id, hear) => {
      const subscription = connection.subscribe(toSubject(id), {
        callback: (error, message) => {
          if (error !== null) return;
          message.respond();
          hear();
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}
