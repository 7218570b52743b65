import { z } from 'zod';
import { END_REASONS, type EndReason } from '../core/run/end-reasons.ts';
import type { Json } from '../core/values/json.ts';
import type {
  EmitCall,
  EventLine,
  Expectation,
  FileContent,
  Files,
  Moment,
  ResumeStep,
  RunStep,
  Scenario,
  ScriptedTurn,
  Step,
} from './scenario.ts';

const text = z.string();
const texts = z.array(text);
const count = z.number().int().min(0);
const milliseconds = z.number().min(0);
const json: z.ZodType<Json> = z.json();

const path = text.regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$)).+$/, 'must be a relative path inside of the workspace');
const content: z.ZodType<FileContent> = z.union([z.null(), text, z.strictObject({ base64: text })]);
const files: z.ZodType<Files> = z.record(path, content);
const config: z.ZodType<NonNullable<Scenario['config']>> = z.union([text, z.record(text, json)]);

const eventLine: z.ZodType<EventLine> = z.union([
  text,
  z.strictObject({ raw: text }),
  z.strictObject({ base64: text }),
  z.strictObject({ topic: text, payload: json.exactOptional(), target: text.exactOptional() }),
]);

const emitCall: z.ZodType<EmitCall> = z.strictObject({
  topic: text,
  payload: text.exactOptional(),
  json: z.boolean().exactOptional(),
  target: text.exactOptional(),
});

const scriptedTurn: z.ZodType<ScriptedTurn> = z.strictObject({
  hat: text.exactOptional(),
  times: z.union([z.number().int().min(1).max(1000), z.literal('always')]).exactOptional(),
  files: files.exactOptional(),
  run: text.exactOptional(),
  events: z.array(eventLine).exactOptional(),
  emit: z.array(z.union([text, emitCall])).exactOptional(),
  stderr: text.exactOptional(),
  output: text.exactOptional(),
  stdout: text.exactOptional(),
  cost_usd: z.number().min(0).exactOptional(),
  delay_ms: milliseconds.exactOptional(),
  hang: z.boolean().exactOptional(),
  signal: text.regex(/^[A-Z]+[0-9]*$/, 'must be the name of a signal, such as KILL').exactOptional(),
  exit: z.number().int().min(0).max(255).exactOptional(),
});

const moment: z.ZodType<Moment> = z.strictObject({
  turn: z.number().int().min(1).exactOptional(),
  file: path.exactOptional(),
  after_ms: milliseconds.exactOptional(),
});

const resumeStep: z.ZodType<ResumeStep> = z.strictObject({
  config: config.exactOptional(),
  files: files.exactOptional(),
  accept_changes: z.boolean().exactOptional(),
  max_iterations: z
    .union([text.regex(/^\+\d+$/, 'must be a number, or one with a plus before it'), z.number().int().min(1)])
    .exactOptional(),
  max_cost_usd: z.number().positive().exactOptional(),
});

const runStep: z.ZodType<RunStep> = z.strictObject({
  config: config.exactOptional(),
  prompt: text.exactOptional(),
  files: files.exactOptional(),
  worktree: text.exactOptional(),
});

const step: z.ZodType<Step> = z
  .strictObject({
    interrupt: moment.exactOptional(),
    terminate: moment.exactOptional(),
    hangup: moment.exactOptional(),
    stop: moment.exactOptional(),
    kill: moment.exactOptional(),
    rival: moment.exactOptional(),
    resume: resumeStep.exactOptional(),
    run: runStep.exactOptional(),
  })
  .refine((value) => Object.keys(value).length === 1, 'must have exactly one key');

const reason = z.enum([...(Object.keys(END_REASONS) as [EndReason, ...EndReason[]]), 'killed']);
const kind = z.enum(['target', 'trigger', 'fallback', 'safety-net', 'terminal', 'undelivered', 'record']);
const cause = z.enum([
  'scope',
  'may-not-end',
  'failed-turn',
  'withdrawn',
  'required-events',
  'channel-off',
  'unknown-hat',
  'gate',
  'payload',
]);

const flow = text.regex(
  /^[^\s>]+(?: -> [^\s>]+ -> [^>]+)?$/,
  'must be a topic, or three parts with arrows between them, such as "ralph -> build.task -> builder"',
);

const expectedEvent = z.union([
  flow,
  z.strictObject({
    topic: text,
    source: text.exactOptional(),
    to: texts.exactOptional(),
    target: text.exactOptional(),
    how: kind.exactOptional(),
    payload: text.exactOptional(),
  }),
]);

const expectedRefusal = z.union([
  flow,
  z.strictObject({ topic: text, hat: text.exactOptional(), why: cause.exactOptional(), allowed: texts.exactOptional() }),
]);

const expectedTurn = z.strictObject({
  turn: z.number().int().min(1),
  hat: text.exactOptional(),
  attempt: count.exactOptional(),
  backend: text.exactOptional(),
  status: z.enum(['succeeded', 'failed', 'interrupted']).exactOptional(),
  failure: text.exactOptional(),
  given: texts.exactOptional(),
  program: text.exactOptional(),
  argv: texts.exactOptional(),
  argv_include: texts.exactOptional(),
  argv_absent: texts.exactOptional(),
  env: z.record(text, z.union([z.null(), text])).exactOptional(),
  prompt_has: texts.exactOptional(),
  prompt_lacks: texts.exactOptional(),
  prompt_by: z.enum(['arg', 'stdin', 'file']).exactOptional(),
  emit_exits: z.array(count).exactOptional(),
  emit_says: text.exactOptional(),
  cost_usd: z.union([z.null(), z.number()]).exactOptional(),
  leftovers: count.exactOptional(),
});

const expectedFile = z.union([
  z.enum(['exists', 'absent']),
  z.strictObject({ equals: text }),
  z.strictObject({ contains: texts.exactOptional(), lacks: texts.exactOptional() }),
]);

const expectation: z.ZodType<Expectation> = z.strictObject({
  reason: reason.exactOptional(),
  ends: z.array(text).exactOptional(),
  detail: text.exactOptional(),
  exit_code: count.exactOptional(),
  error: text.exactOptional(),
  iterations: count.exactOptional(),
  hats: texts.exactOptional(),
  events: z.array(expectedEvent).exactOptional(),
  events_include: z.array(expectedEvent).exactOptional(),
  events_absent: texts.exactOptional(),
  refused: z.array(expectedRefusal).exactOptional(),
  notices: z.array(z.union([text, z.strictObject({ code: text, text: text.exactOptional() })])).exactOptional(),
  notices_absent: texts.exactOptional(),
  turns: z.array(expectedTurn).exactOptional(),
  files: z.record(path, expectedFile).exactOptional(),
  cost_usd: z.union([z.null(), z.number()]).exactOptional(),
  commits: count.exactOptional(),
  rivals: texts.exactOptional(),
  min_ms: milliseconds.exactOptional(),
  max_ms: milliseconds.exactOptional(),
});

/** The format of a scenario: every key, nothing else. */
export const SCENARIO_SCHEMA: z.ZodType<Scenario> = z.strictObject({
  name: text.min(1),
  description: text.exactOptional(),
  config: config.exactOptional(),
  prompt: text.exactOptional(),
  files: files.exactOptional(),
  git: z.boolean().exactOptional(),
  dirty: files.exactOptional(),
  env: z.record(text, text).exactOptional(),
  worktree: text.exactOptional(),
  iterations: z.array(scriptedTurn),
  steps: z.array(step).exactOptional(),
  expect: z.union([expectation, z.array(expectation).min(1)]),
  timeout_ms: z.number().min(1).exactOptional(),
});
