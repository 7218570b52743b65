import * as z from 'zod';
import type { Json } from '../core/index.ts';

const CALL = z.strictObject({
  tool: z.string().min(1).describe('The name of a tool.'),
  args: z.record(z.string(), z.json()).default({}),
});

const EXPECT = z.strictObject({
  /** Tools that have to be offered. */
  tools: z.array(z.string()).default([]),
  /** Tools that must not be offered. */
  no_tools: z.array(z.string()).default([]),
  /** Texts that the results of the step before have to hold, each somewhere. */
  results: z.union([z.string(), z.array(z.string())]).default([]),
  /** Texts that the newest message of ours has to hold. */
  prompt: z.union([z.string(), z.array(z.string())]).default([]),
});

const FAIL = z.strictObject({
  class: z.enum(['transient', 'limit', 'auth', 'context-overflow', 'bad-request', 'other']).default('transient'),
  message: z.string().default('the script says so'),
  retry_after_ms: z.number().min(0).optional(),
});

const STEP = z.strictObject({
  expect: EXPECT.optional(),
  thinking: z.string().optional(),
  text: z.string().optional(),
  calls: z.array(CALL).default([]),
  fail: FAIL.optional(),
  delay_ms: z.number().min(0).max(3_600_000).default(0),
  usage: z.strictObject({ input: z.number().min(0).default(0), output: z.number().min(0).default(0) }).optional(),
});

const TURN = z.strictObject({ steps: z.array(STEP) });

const SCRIPT = z
  .strictObject({
    /** By hat id, `ralph` among them: one entry for each of its turns. */
    hats: z.record(z.string(), z.array(TURN)).default({}),
    /** Turns of every hat that is not named. */
    turns: z.array(TURN).default([]),
    /** What happens after the last turn that is written: it fails (default), or the last one is played again. */
    after_last: z.enum(['fail', 'repeat']).default('fail'),
  })
  .refine(({ hats, turns }) => turns.length > 0 || Object.keys(hats).length > 0, 'it has neither `hats` nor `turns`');

/** What a scripted model says, by hat, turn and step. */
export type Script = z.output<typeof SCRIPT>;
export type ScriptStep = z.output<typeof STEP>;

/** Checks a script that was read from a file; a text says what is wrong with it. */
export function parseScript(value: Json): Script | string {
  const parsed = SCRIPT.safeParse(value);
  if (parsed.success) return parsed.data;
  return parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`))
    .join('; ');
}
