import type { DeliverPolicy, JsMsg, StoredMsg } from '@nats-io/jetstream';
import { RalphError } from '../core/values/errors.ts';
import { parseJson } from '../core/values/json.ts';
import type { KeptLease, KeptWords, RunLeases, RunLog, SteerWord } from '../ports/fleet.ts';
import { isSubjectPart, requirePart } from './fleet-names.ts';
import { consume, keepReading, type Reading } from './keep-reading.ts';
import { parseLease } from './kept-states.ts';
import { MAX_KEPT_WORDS, parseSteerWord } from './messages.ts';
import {
  insist,
  isForbidden,
  isNoStream,
  LEASES,
  listBucketKeys,
  listSubjects,
  type NatsServer,
  RUNS,
  toForbidden,
  toJsonBytes,
  toUtf8Text,
  unlessConflict,
  WORDS,
} from './nats-server.ts';

/** What is kept of runs: a subject of one stream for each, on which the server itself refuses whoever does not write behind the last message. */
export function createRunLog({ stream, manager, connection }: NatsServer): RunLog {
  /** Reads what stands there and what comes; resolves when what stood there has been given: up to `there`. */
  const readFrom = async (run: string, take: (message: JsMsg, there: number) => void): Promise<ReadLog> => {
    const subject = toSubject(run);
    const there = (await insist(() => readLast(manager, RUNS, subject)))?.seq ?? 0;
    let last = 0;
    const open = async (): Promise<Reading<JsMsg>> => {
      const start = last === 0 ? {} : { deliver_policy: FROM_SEQUENCE, opt_start_seq: last + 1 };
      return consume(await stream.consumers.get(RUNS, { filter_subjects: subject, ...start }));
    };
    return new Promise((resolve, reject) => {
      const end = keepReading(connection, open, (message) => {
        last = message.seq;
        take(message, there);
        if (last >= there) resolve({ there, end });
      });
      if (there === 0) resolve({ there, end });
      void connection.closed().then(() => reject(new Error('what the fleet keeps of the run could not be read to its end')));
    });
  };
  return {
    append: async (run, { behind, name, body }) => {
      const subject = toSubject(run);
      // Where the answer to the first try was lost, the second one is known by its name.
      const options = { msgID: `${run}.${name}`, expect: { lastSubjectSequence: behind } };
      const told = await unlessConflict(() => stream.publish(subject, toJsonBytes(body), options));
      if (told !== null) return told.seq;
      // The servers of a cluster look whether it stands behind the last one before they look at its name.
      const last = await insist(() => readLast(manager, RUNS, subject));
      return last?.header.get('Nats-Msg-Id') === options.msgID ? last.seq : null;
    },
    read: async (run, visit) => {
      const { there, end } = await readFrom(run, ({ seq, data }, last) => {
        if (seq <= last) visit(parseJson(toUtf8Text(data)) ?? null);
      });
      await end();
      return there;
    },
    forget: async (run) => {
      const subject = toSubject(run);
      await insist(() => manager.streams.purge(RUNS, { filter: subject }));
    },
    follow: async (run, visit) => (await readFrom(run, ({ data }) => visit(parseJson(toUtf8Text(data)) ?? null))).end,
  };
}

interface ReadLog {
  readonly there: number;
  /** Ends the reading. */
  readonly end: () => Promise<void>;
}

/** The library's own word, which is not loaded for it. */
const FROM_SEQUENCE: DeliverPolicy = 'by_start_sequence';

/** `null`: nothing stands there. */
async function readLast(manager: NatsServer['manager'], stream: string, subject: string): Promise<StoredMsg | null> {
  try {
    return await manager.streams.getMessage(stream, { last_by_subj: subject });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === NO_MESSAGE) return null;
    throw error;
  }
}

/** The server's word for a subject on which nothing stands. */
const NO_MESSAGE = 10037;

function toSubject(run: string): string {
  if (!isSubjectPart(run)) throw new Error(`no part of a subject: ${JSON.stringify(run.slice(0, 80))}`);
  return `ralph.run.${run}`;
}

/** Who has which run. */
export function createRunLeases(server: NatsServer): RunLeases {
  const { runs } = server;
  const look: RunLeases['look'] = async (run) => {
    if (!isSubjectPart(run)) return null;
    const entry = await insist(() => runs.get(run));
    const lease = entry?.operation === 'PUT' ? parseLease(parseJson(toUtf8Text(entry.value))) : null;
    return entry === null || lease === null || lease.run !== run ? null : { lease, beat: entry.revision };
  };
  return {
    look,
    write: (lease, beat) =>
      unlessConflict(() => (beat === 0 ? runs.create(lease.run, toJsonBytes(lease)) : runs.update(lease.run, toJsonBytes(lease), beat))),
    forget: async (run, beat) => {
      if (!isSubjectPart(run)) return false;
      const forgotten = await unlessConflict(async () => {
        await runs.purge(run, { previousSeq: beat });
        return true;
      });
      return forgotten ?? false;
    },
    list: async () => {
      const found = await Promise.all((await listBucketKeys(server, LEASES)).map(look));
      return found.filter((kept): kept is KeptLease => kept !== null);
    },
  };
}

/** What is said to runs that nobody has: a subject of one stream for each word, on which the server itself refuses a second one. */
export function createKeptWords({ stream, manager }: NatsServer): KeptWords {
  const toFilter = (run: string, id = '*'): string => {
    requirePart(run);
    if (id !== '*') requirePart(id);
    return `ralph.word.${run}.${id}`;
  };
  const purge = async (filter: string): Promise<void> => {
    if (await isThere(manager)) await insist(() => manager.streams.purge(WORDS, { filter }));
  };
  return {
    keep: async (run, { id, body }) => {
      requirePart(id);
      const subject = toFilter(run, id);
      try {
        if (!(await isThere(manager))) throw toNoPlace(run);
        await unlessConflict(() => stream.publish(subject, toJsonBytes({ id, body }), { expect: { lastSubjectSequence: 0 } }));
      } catch (error) {
        throw isForbidden(error) ? toForbidden(run, 'ralph.word.>', error) : error;
      }
    },
    list: async (run) => {
      const filter = toFilter(run);
      if (!(await isThere(manager))) return [];
      const subjects = await listSubjects(manager, WORDS, filter);
      const found: { readonly seq: number; readonly word: SteerWord }[] = [];
      // The server gives them by their names: which are the oldest is known when all are read.
      for (let from = 0; from < subjects.length; from += READ_AT_ONCE) {
        await Promise.all(
          subjects.slice(from, from + READ_AT_ONCE).map(async (subject) => {
            const message = await insist(() => readLast(manager, WORDS, subject));
            if (message === null) return;
            const word = parseSteerWord(toUtf8Text(message.data));
            if (word !== null && subject === toFilter(run, word.id)) found.push({ seq: message.seq, word });
            // What is no word goes where this account may remove it.
            else await purge(subject).catch(() => undefined);
          }),
        );
      }
      found.sort((left, right) => left.seq - right.seq);
      return found.slice(0, MAX_KEPT_WORDS).map(({ word }) => word);
    },
    drop: async (run, id) => {
      requirePart(id);
      await purge(toFilter(run, id));
    },
    forget: async (run) => purge(toFilter(run)),
  };
}

/** A server answers only so many questions of a connection at a time. */
const READ_AT_ONCE = 100;

/** A server on which only older versions of Ralph, or accounts that may make nothing, have been has no place for words. */
async function isThere(manager: NatsServer['manager']): Promise<boolean> {
  try {
    await insist(() => manager.streams.info(WORDS));
    return true;
  } catch (error) {
    if (isNoStream(error)) return false;
    throw error;
  }
}

function toNoPlace(run: string): RalphError {
  return new RalphError({
    code: 'fleet-run-silent',
    what: `Nobody has run ${run} at the moment, and its fleet has no place yet in which words are kept; nothing was said.`,
    why: 'It is made by the first account of this version of Ralph that may make anything there.',
    fix: 'Have the owner of the fleet call: ralph fleet',
  });
}
