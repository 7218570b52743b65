import { areAskable, QUESTION_LIMITS } from '../core/run/question-limits.ts';
import type { Json, JsonObject } from '../core/values/json.ts';
import { accept, type Result, refuse } from '../core/values/result.ts';
import type { PersonQuestion } from '../ports/people.ts';
import { type McpResult, type McpTool, toReason } from './mcp-tool.ts';

/** A question as the model put it, its form checked. */
export type AskRequest = Pick<PersonQuestion, 'text' | 'choices' | 'default' | 'deadlineMs'>;

export interface AskReply {
  /** One of the choices. */
  readonly choice: string;
  /** `person`, or why the default counts. */
  readonly by: string;
}

const { text: MAX_TEXT, choices: MAX_CHOICES, choice: MAX_CHOICE } = QUESTION_LIMITS;
const MAX_SECONDS = QUESTION_LIMITS.deadlineMs / 1000;
/** As many questions wait, and as many answers are kept, for a client that gives up again and again. */
const MAX_OPEN = 50;

/**
 * The tool by which an agent asks the people of its run, and waits. It answers nothing by itself: what it tells is what a person chose, or the default when
 * nobody did. A question whose client gave up stays open; the same question, asked again, takes the answer that came meanwhile.
 *
 * @param ask puts the question and settles with the answer; what it throws is told to the model
 */
export function createAskPersonTool(ask: (request: AskRequest) => Promise<AskReply>): McpTool {
  const open = new Map<string, Promise<AskReply>>();
  // Answers that nobody took, the oldest first.
  const untaken = new Map<string, Promise<AskReply>>();
  const putQuestion = (key: string, request: AskRequest): Promise<AskReply> => {
    const asked = ask(request);
    open.set(key, asked);
    const settle = (): void => {
      open.delete(key);
      untaken.set(key, asked);
      for (const old of [...untaken.keys()].slice(0, -MAX_OPEN)) untaken.delete(old);
    };
    asked.then(settle, settle);
    return asked;
  };
  return {
    name: 'ask_person',
    description:
      'Asks a person and waits for the answer. Ask only what you cannot find out or decide: nobody may be there, and then your default counts. If the call times out, ask the same again.',
    inputSchema: INPUT_SCHEMA,
    annotations: { title: 'Ask a person', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    waits: true,
    call: async (args, signal) => {
      const request = parseRequest(args);
      if (!request.ok) return toRefusal(request.refused);
      const key = JSON.stringify([request.value.text, request.value.choices, request.value.default]);
      const known = untaken.get(key) ?? open.get(key);
      if (known === undefined && open.size >= MAX_OPEN) return toRefusal('too many questions are open already.');
      const asked = known ?? putQuestion(key, request.value);
      try {
        const reply = await takeUntil(asked, signal);
        if (reply === null) return toRefusal('the client did not wait for the answer.');
        untaken.delete(key);
        return toResult(reply, request.value);
      } catch (error) {
        untaken.delete(key);
        return toRefusal(toReason(error));
      }
    },
  };
}

const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    question: { type: 'string', description: 'What is asked, with what a person needs to decide it.' },
    choices: { type: 'array', items: { type: 'string' }, description: 'The answers that can be given; default: yes and no.' },
    default: { type: 'string', description: 'One of them: what counts when nobody answers; default: the last.' },
    deadline_seconds: { type: 'number', description: 'How long an answer is waited for.' },
  },
  required: ['question'],
};

function parseRequest({ question, choices, default: stated, deadline_seconds: seconds }: JsonObject): Result<AskRequest, string> {
  if (typeof question !== 'string' || question.trim() === '' || question.length > MAX_TEXT)
    return refuse(`\`question\` must be text of at most ${MAX_TEXT} characters.`);
  const named = parseChoices(choices);
  if (named === null)
    return refuse(`\`choices\` must be 2 to ${MAX_CHOICES} different texts of at most ${MAX_CHOICE} characters, such as ["yes", "no"].`);
  // Models fill what is optional with an empty text or a zero.
  const fallback = isMissing(stated)
    ? named.at(-1)
    : typeof stated === 'string'
      ? named.find((choice) => choice === stated.trim())
      : undefined;
  if (fallback === undefined) return refuse('`default` must be one of the choices.');
  const request = { text: question.trim(), choices: named, default: fallback };
  if (isMissing(seconds) || seconds === 0) return accept(request);
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= MAX_SECONDS))
    return refuse(`\`deadline_seconds\` must be a number above 0, at most ${MAX_SECONDS}.`);
  return accept({ ...request, deadlineMs: Math.ceil(seconds * 1000) });
}

function parseChoices(choices: Json | undefined): readonly string[] | null {
  if (isMissing(choices)) return ['yes', 'no'];
  if (!Array.isArray(choices)) return null;
  const named = choices.flatMap((choice: Json) => (typeof choice === 'string' ? [choice.trim()] : []));
  return named.length === choices.length && areAskable(named) ? named : null;
}

function isMissing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** What was replied; `null` when nobody wants it any more. */
function takeUntil(asked: Promise<AskReply>, signal: AbortSignal | undefined): Promise<AskReply | null> {
  if (signal === undefined) return asked;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(null);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    asked.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

function toResult({ choice, by }: AskReply, { choices }: AskRequest): McpResult {
  if (!choices.includes(choice)) return toRefusal('what was answered is none of the choices.');
  const how = by === 'person' ? 'A person answered' : 'Nobody answered, so your default counts';
  return { text: `${how}: ${choice}`, isError: false };
}

function toRefusal(why: string): McpResult {
  return { text: `No answer: ${why}`, isError: true };
}
