import { isJsonObject, type Json } from './json.ts';

/** Who published from outside of a run, and by what they were known as a person. */
export interface Sender {
  readonly pid: number;
  readonly user: string;
  /**
   * `terminal`: a terminal of their own; `token`: the run's token; `namespace`: the run's own process namespace, where agents have others;
   * `program`: the program that runs the run itself.
   */
  readonly how: (typeof WAYS)[number];
  /** By which the program knows its own words again; never on record. */
  readonly proof?: string;
}

const WAYS = ['terminal', 'token', 'namespace', 'program'] as const;

const MAX_USER_LENGTH = 64;
const MAX_PROOF_LENGTH = 64;

/** Reads a sender; `null` for anything else. Never throws. */
export function parseSender(value: Json | undefined): Sender | null {
  if (!isJsonObject(value)) return null;
  const { pid, user, how, proof } = value;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || typeof user !== 'string') return null;
  const known = WAYS.find((way) => way === how);
  if (known === undefined) return null;
  const proven = typeof proof === 'string' && proof.length <= MAX_PROOF_LENGTH ? { proof } : {};
  return { pid, user: user.slice(0, MAX_USER_LENGTH), how: known, ...proven };
}

/** `root, process 71, by terminal` */
export function toSenderText({ pid, user, how }: Sender): string {
  return `${user}, process ${pid}, by ${how}`;
}
