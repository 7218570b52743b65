import { createHash } from 'node:crypto';
import { CALL_ARGUMENTS, type CalledTool, type JudgedCall, readCalledTool } from '../../core/hooks/called-tool.ts';
import type { MergedHooks } from '../../core/hooks/hook-spec.ts';
import { createCallJudge } from '../../core/hooks/judge-call.ts';
import {
  NO_PERMISSIONS,
  NO_STORE,
  type PermissionEntry,
  type PermissionRule,
  type PermissionSpec,
  type PermissionStore,
} from '../../core/hooks/permission-spec.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { shorten } from '../../core/text/shorten.ts';
import { type JsonObject, toCanonicalJson } from '../../core/values/json.ts';
import type { ToolHooks } from '../../hooks/tool-hooks.ts';
import type { People, PersonAnswer } from '../../ports/people.ts';
import { type CallOutcome, fail } from '../tool/tool.ts';

export interface PermitSettings {
  readonly spec: PermissionSpec;
  readonly store: PermissionStore;
  readonly hat: string;
  /** `7.1` */
  readonly turn: string;
  /** Absent: nobody can be asked. */
  readonly people?: People;
  readonly hooks: ToolHooks;
  /** Where a call really leads: `locateCall`. */
  readonly locate: (call: Pick<JudgedCall, 'tool' | 'input'>) => JudgedCall;
  /** Takes secrets out. */
  readonly redact: (text: string) => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A call that was checked and is about to be made. */
export interface PermitRequest {
  readonly id: string;
  readonly tool: string;
  /** As the tool will get it. */
  readonly input: JsonObject;
  /** Why a hook leaves it to a person; `null` where none does. */
  readonly hookReason: string | null;
}

export interface CallPermit {
  /** Why not; `null` where it may be made. */
  readonly refusal: CallOutcome | null;
  /** What the hooks of `PermissionRequest` said; `null` where none was asked. */
  readonly hooks: MergedHooks | null;
}

/** Decides about calls. Never rejects. */
export type CallPermits = (request: PermitRequest) => Promise<CallPermit>;

/** No rules, no record: what a hook leaves to a person is denied where nobody can be asked. */
export const NO_RECORD: Pick<PermitSettings, 'spec' | 'store' | 'hat'> = {
  spec: NO_PERMISSIONS,
  store: NO_STORE,
  hat: '',
};

/** What people may answer. */
const CHOICES = ['once', 'run', 'always', 'deny'] as const;
const MAX_ARGUMENT = 300;
const MAX_SHOWN = 4000;

const PERMITTED: CallPermit = { refusal: null, hooks: null };

interface CallToAllow extends PermitRequest {
  readonly called: CalledTool;
  readonly reason: string;
  readonly grantKey: string;
  readonly questionKey: string;
}

/**
 * Makes the rules of a hat ready for one turn: a call that a rule denies is not made; one that a rule or a hook leaves to a person is asked about, unless
 * the person has allowed its like before. Calls that need the same answer at the same time wait for one question.
 */
export function createCallPermits(settings: PermitSettings): CallPermits {
  const { spec, store, locate } = settings;
  const { judge } = createCallJudge(spec.rules);
  const open = new Map<string, { readonly questionKey: string; readonly permit: Promise<CallPermit> }>();

  const ask = async (asked: CallToAllow): Promise<CallPermit> => {
    for (;;) {
      if (store.isGranted(asked.grantKey)) {
        note(settings, asked, { decision: 'allow', by: 'grant', why: 'a person allowed it before' });
        return PERMITTED;
      }
      const other = open.get(asked.grantKey);
      if (other === undefined) break;
      const permit = await other.permit;
      if (other.questionKey === asked.questionKey) return permit;
    }
    const permit = answer(settings, asked);
    open.set(asked.grantKey, { questionKey: asked.questionKey, permit });
    try {
      return await permit;
    } finally {
      open.delete(asked.grantKey);
    }
  };

  return async (request) => {
    const called = readCalledTool(locate(request));
    const told = { ...request, called };
    const rule = judge(called);
    if (rule !== null) note(settings, told, { decision: rule.decision, by: 'rule', why: toRuleText(rule) });
    if (rule?.decision === 'deny')
      return toRefused(`The permissions deny this call: nothing was done. ${request.tool}: ${toRuleText(rule)}`);
    const { hookReason } = request;
    if (hookReason !== null) note(settings, told, { decision: 'ask', by: 'hook', why: hookReason });
    if (rule?.decision !== 'ask' && hookReason === null) return PERMITTED;
    const reason = [...(rule?.decision === 'ask' ? [toRuleText(rule)] : []), ...(hookReason === null ? [] : [hookReason])].join('\n');
    return ask({ ...told, reason, ...toKeys(settings.hat, request, called) });
  };
}

/** Asks the hooks, then people. */
async function answer(settings: PermitSettings, asked: CallToAllow): Promise<CallPermit> {
  const { id, tool, input, reason, questionKey } = asked;
  const { hooks, people, spec } = settings;
  const said = await hooks.request({ id, tool, input, reason });
  const ran = said.runs.length === 0 ? null : said;
  if (said.decision !== 'ask') {
    note(settings, asked, { decision: said.decision, by: 'hook', why: said.reason });
    return said.decision === 'allow'
      ? { refusal: null, hooks: ran }
      : { ...toRefused(`A hook denied this call: nothing was done. ${tool}: ${said.reason}`), hooks: ran };
  }
  if (people === undefined) {
    const isAllowed = spec.onAsk === 'allow';
    note(settings, asked, { decision: isAllowed ? 'allow' : 'deny', by: 'nobody', why: `on_ask: ${spec.onAsk}` });
    if (isAllowed) return { refusal: null, hooks: ran };
    return {
      ...toRefused(`A person would have to allow this call, and nobody can be asked: nothing was done. ${tool}: ${reason}`),
      hooks: ran,
    };
  }
  const answered = await people.ask({
    key: questionKey,
    kind: 'permission',
    text: toQuestion(settings, asked),
    choices: CHOICES,
    default: 'deny',
    ...(spec.onAsk === 'wait' && { isPatient: true as const }),
  });
  const choice = toChoice(answered, spec);
  return { ...settle(settings, asked, choice, answered.by), hooks: ran };
}

/** What counts: a person's word, and where nobody is there what `on_ask` says. Nothing else allows, nor does a deadline that passes. */
function toChoice({ choice, by }: PersonAnswer, { onAsk }: PermissionSpec): (typeof CHOICES)[number] {
  if (by === 'person') return CHOICES.find((known) => known === choice) ?? 'deny';
  return onAsk === 'allow' && by === 'policy' ? 'once' : 'deny';
}

/** What is granted is on disk before the call is made. */
function settle(
  settings: PermitSettings,
  asked: CallToAllow,
  choice: (typeof CHOICES)[number],
  by: PersonAnswer['by'],
): Pick<CallPermit, 'refusal'> {
  note(settings, asked, {
    decision: choice === 'deny' ? 'deny' : 'allow',
    by,
    why: by === 'person' ? choice : `on_ask: ${settings.spec.onAsk}`,
  });
  const { hat, now, store } = settings;
  const grant = {
    v: 1,
    at: new Date(now()).toISOString(),
    hat,
    tool: asked.tool,
    argument: toArgument(settings, asked),
    key: asked.grantKey,
  } as const;
  switch (choice) {
    case 'once':
      return PERMITTED;
    case 'run':
      store.grant('run', grant);
      return PERMITTED;
    case 'always':
      store.grant('project', grant);
      return PERMITTED;
    case 'deny':
      return toRefused(`${NOT_ALLOWED[by]}: nothing was done. ${asked.tool}: ${asked.reason}`);
  }
}

const NOT_ALLOWED: Readonly<Record<PersonAnswer['by'], string>> = {
  person: 'A person denied this call',
  deadline: 'A person would have to allow this call, and nobody answered in time',
  policy: 'A person would have to allow this call, and nobody is there',
  withdrawn: 'A person would have to allow this call, and the turn is being stopped',
};

function toRefused(what: string): CallPermit {
  const advice = 'Do it in another way, or say in your event why you could not.';
  return { refusal: { kind: 'not-permitted', ...fail(what, advice) }, hooks: null };
}

function toRuleText({ decision, rule, place }: PermissionRule): string {
  return `${decision} ${rule} (${place})`;
}

function note(
  settings: PermitSettings,
  told: Pick<CallToAllow, 'id' | 'tool' | 'input' | 'called'>,
  what: Pick<PermissionEntry, 'decision' | 'by' | 'why'>,
): void {
  const { store, hat, turn, now, redact } = settings;
  store.note({
    v: 1,
    at: new Date(now()).toISOString(),
    turn,
    hat,
    call: toLine(told.id, MAX_ARGUMENT),
    tool: told.tool,
    argument: toArgument(settings, told),
    decision: what.decision,
    by: what.by,
    why: toLine(redact(what.why), MAX_ARGUMENT),
  });
}

function toArgument({ redact }: PermitSettings, told: Pick<CallToAllow, 'tool' | 'input' | 'called'>): string {
  return toLine(redact(toText(told)), MAX_ARGUMENT);
}

/** What a call is about: the argument of a tool that is known, else all that it is called with. */
function toText({ tool, input, called }: Pick<CallToAllow, 'tool' | 'input' | 'called'>): string {
  if (called.isUnclear || !Object.hasOwn(CALL_ARGUMENTS, tool)) return toCanonicalJson(input);
  return called.things.map(({ written }) => written).join(' ');
}

function toQuestion(settings: PermitSettings, asked: CallToAllow): string {
  const { hat, redact } = settings;
  const { cwd } = asked.input;
  const where = typeof cwd === 'string' ? ` (in ${toLine(redact(cwd), MAX_ARGUMENT)})` : '';
  // The agent's own words stand last: nothing of ours is behind them that they could imitate.
  return `${hat} wants to call ${asked.tool}. Why you are asked: ${toLine(redact(asked.reason), MAX_SHOWN)}\nThe call${where}: ${toLine(redact(toText(asked)), MAX_SHOWN)}`;
}

/** One line, so that what an agent writes cannot look like something that Ralph says. */
function toLine(text: string, limit: number): string {
  return shorten(maskControls(text.slice(0, limit * 2).replaceAll('\n', '⏎')), limit);
}

/** What a question and a grant are known by. A grant is for the exact command line, file or address; for any other call for all that it is called with. */
function toKeys(
  hat: string,
  { tool, input }: PermitRequest,
  { things, isUnclear }: CalledTool,
): Pick<CallToAllow, 'grantKey' | 'questionKey'> {
  const isExact = !isUnclear && things.length > 0 && things.every(({ kind }) => kind !== 'text');
  const about = things.map(({ kind, written, forms }) => (kind === 'path' || kind === 'url' ? [...forms] : written));
  const granted = isExact ? { about, cwd: input['cwd'] ?? null } : { input };
  return { grantKey: toHash([hat, tool, granted]), questionKey: `permission:${toHash([hat, tool, input])}` };
}

function toHash(value: Parameters<typeof toCanonicalJson>[0]): string {
  return createHash('sha256').update(toCanonicalJson(value)).digest('hex');
}
