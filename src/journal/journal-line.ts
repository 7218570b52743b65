import { crc32 } from 'node:zlib';
import { type Input, isInputType, type JournalEntry } from '../core/run/inputs.ts';
import { RalphError } from '../core/values/errors.ts';
import { isJsonObject, parseJson } from '../core/values/json.ts';
import { accept, type Result, refuse } from '../core/values/result.ts';

/** The version of a journal line that this program writes, and the newest that it reads. */
const JOURNAL_VERSION = 1;

/**
 * A longer line is no entry: neither written nor read. Far below the longest text of the engine, far above what a turn can say
 * (payloads are cut at a million characters, a batch of the inbox at 64 MB).
 */
export const MAX_JOURNAL_LINE_BYTES = 128 << 20;

/** `{"crc":"` in front of the eight digits, `",` behind them: the same for every version to come. */
const CRC_START = 8;
const BODY_START = CRC_START + 8 + 2;

/**
 * One entry as it stands in the file: `{"crc":"0a1b2c3d","v":1,"seq":7,"input":{…}}` and a line feed. The checksum (CRC-32, as in
 * zlib, eight hexadecimal digits) covers every byte behind its own `",`, so that it can be checked without parsing.
 */
export function toJournalLine(seq: number, input: Input): Buffer {
  const body = `"v":${JOURNAL_VERSION},"seq":${seq},"input":${JSON.stringify(input)}}`;
  return Buffer.from(`{"crc":"${toHex(crc32(body))}",${body}\n`);
}

export function toJournalLines(entries: readonly JournalEntry[]): Buffer {
  return Buffer.concat(entries.map(({ seq, input }) => toJournalLine(seq, input)));
}

function toHex(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

/** The checksum that a line begins with; not a number where there is none. Digit by digit: each entry that is read has one, and texts cost more. */
function readCrc(line: Buffer): number {
  let crc = 0;
  for (let at = CRC_START; at < CRC_START + 8; at += 1) {
    const byte = line[at] as number;
    const digit = byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : Number.NaN;
    crc = crc * 16 + digit;
  }
  return crc;
}

/**
 * Parses one line (without its line feed); refused is what is no entry, with what is wrong in words. `seq` is the number it must have; `null`: any.
 *
 * @throws RalphError `journal-newer` for a sound line of a later version, or with an input that only a later one knows: that is no damage, and nothing may be cut off.
 */
export function parseJournalLine(line: Buffer, seq: number | null): Result<JournalEntry, string> {
  if (line.length <= BODY_START) return refuse('is not a journal entry');
  if (readCrc(line) !== crc32(line.subarray(BODY_START))) {
    return refuse('does not fit its checksum');
  }
  const value = parseJson(line.toString('utf8'));
  if (!isJsonObject(value)) return refuse('is not a journal entry');
  const { v, seq: found, input } = value;
  if (typeof v === 'number' && v > JOURNAL_VERSION)
    throw toNewerError(`is of version ${v}; this Ralph reads up to version ${JOURNAL_VERSION}`);
  if (v !== JOURNAL_VERSION || typeof found !== 'number' || !isJsonObject(input) || typeof input['type'] !== 'string') {
    return refuse('is not a journal entry');
  }
  if (seq !== null && found !== seq) return refuse(`is entry ${found}, where entry ${seq} belongs`);
  if (!isInputType(input['type'])) throw toNewerError('holds an input that this Ralph does not know');
  // The checksum says that these are the bytes of an input that this program wrote.
  return accept({ seq: found, input: input as unknown as Input });
}

function toNewerError(what: string): RalphError {
  return new RalphError({
    code: 'journal-newer',
    what: `This run's journal ${what}.`,
    why: 'It was written by a newer Ralph, and reading it in part would change what the run means.',
    fix: 'Use the newer version: npm install -g ralph-hats@latest',
  });
}
