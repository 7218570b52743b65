import { compare, compareLists, type Mismatch, toListText } from './mismatch.ts';
import type { AgentCall, TurnFacts } from './run-facts.ts';
import type { ExpectedTurn } from './scenario.ts';

export function checkTurns(expected: readonly ExpectedTurn[], turns: readonly TurnFacts[]): readonly Mismatch[] {
  return expected.flatMap((wanted) => {
    const label = `turns (turn ${wanted.turn})`;
    const turn = turns[wanted.turn - 1];
    if (turn === undefined) return [{ what: label, expected: 'to run', seen: `only ${turns.length} turns ran` }];
    return [...checkFacts(wanted, turn), ...checkPrompt(wanted, turn), ...checkCall(wanted, turn)].map((mismatch) => ({
      ...mismatch,
      what: `${label}.${mismatch.what}`,
    }));
  });
}

function checkFacts(wanted: ExpectedTurn, turn: TurnFacts): readonly Mismatch[] {
  return [
    ...compare('hat', wanted.hat, turn.hat),
    ...compare('attempt', wanted.attempt, turn.attempt),
    ...compare('backend', wanted.backend, turn.backend),
    ...compare<string>('status', wanted.status, turn.status),
    ...compare<string>('failure', wanted.failure, turn.failure?.class ?? 'none'),
    ...compareLists('given', wanted.given, turn.given),
    ...compare('cost_usd', wanted.cost_usd, turn.costUsd),
    ...compare('leftovers', wanted.leftovers, turn.leftovers),
  ];
}

function checkPrompt(wanted: ExpectedTurn, turn: TurnFacts): readonly Mismatch[] {
  const missing = (wanted.prompt_has ?? []).filter((part) => !turn.prompt.includes(part));
  const unwanted = (wanted.prompt_lacks ?? []).filter((part) => turn.prompt.includes(part));
  return [
    ...missing.map((part) => ({ what: 'prompt_has', expected: JSON.stringify(part), seen: turn.prompt })),
    ...unwanted.map((part) => ({ what: 'prompt_lacks', expected: `no ${JSON.stringify(part)}`, seen: turn.prompt })),
    ...compare<string | null>('prompt_by', wanted.prompt_by, turn.promptBy),
  ];
}

const CALL_KEYS = ['program', 'argv', 'argv_include', 'argv_absent', 'env', 'emit_exits', 'emit_says'] as const;

function checkCall(wanted: ExpectedTurn, { call, prompt }: TurnFacts): readonly Mismatch[] {
  if (call === null)
    return CALL_KEYS.some((key) => wanted[key] !== undefined) ? [{ what: 'agent', expected: 'to be started', seen: 'it was not' }] : [];
  const args = call.args.map((word) => (word === prompt ? '{prompt}' : word));
  const said = call.emits.map((emit) => emit.text).join('\n');
  return [
    ...compare('program', wanted.program, call.program),
    ...compareLists('argv', wanted.argv, args),
    ...checkArguments(wanted, args),
    ...checkEnvironment(wanted.env ?? {}, call),
    ...compareLists(
      'emit_exits',
      wanted.emit_exits?.map(String),
      call.emits.map((emit) => String(emit.exit)),
    ),
    ...(wanted.emit_says === undefined || said.includes(wanted.emit_says)
      ? []
      : [{ what: 'emit_says', expected: JSON.stringify(wanted.emit_says), seen: said }]),
  ];
}

function checkArguments(
  { argv_include: included = [], argv_absent: absent = [] }: ExpectedTurn,
  args: readonly string[],
): readonly Mismatch[] {
  const isThere = included.length === 0 || args.some((_, at) => included.every((word, offset) => args[at + offset] === word));
  const unwanted = absent.filter((word) => args.includes(word));
  return [
    ...(isThere ? [] : [{ what: 'argv_include', expected: toListText(included), seen: toListText(args) }]),
    ...unwanted.map((word) => ({ what: 'argv_absent', expected: `no ${word}`, seen: toListText(args) })),
  ];
}

function checkEnvironment(wanted: Readonly<Record<string, string | null>>, call: AgentCall): readonly Mismatch[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    const seen = call.env[name];
    const fits = value === null ? seen === undefined : value === '*' ? seen !== undefined && seen !== '' : seen === value;
    return fits
      ? []
      : [
          {
            what: `env.${name}`,
            expected: value === null ? 'not to be set' : value === '*' ? 'to be set' : value,
            seen: seen ?? 'not set',
          },
        ];
  });
}
