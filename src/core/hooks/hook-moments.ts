interface HookMoment {
  /** Other names of it, as other tools call it. */
  readonly aliases: readonly string[];
  /** When hooks are asked, in the words of the table of the guide. */
  readonly when: string;
  /** What `matcher` is compared with. `nothing`: it has no effect. */
  readonly matchedOn: 'tool' | 'topic' | 'hat' | 'reason' | 'nothing';
  /** Whether a denial stops what is about to happen. */
  readonly mayBlock: boolean;
  /** Whether a text of the hook reaches the model. */
  readonly mayInject: boolean;
  /** What a hook may replace; `null`: nothing. */
  readonly mayChange: 'input' | 'output' | 'event' | null;
}

/** Everything that hooks are asked about. The table of the guide is made from it (`npm run docs`). */
export const HOOK_MOMENTS = {
  PreToolUse: {
    aliases: ['pre_call', 'BeforeTool'],
    when: "a call's name, profile and arguments were checked, and it is about to be made",
    matchedOn: 'tool',
    mayBlock: true,
    mayInject: true,
    mayChange: 'input',
  },
  PostToolUse: {
    aliases: ['post_call', 'AfterTool'],
    when: 'a call was made and succeeded',
    matchedOn: 'tool',
    mayBlock: false,
    mayInject: true,
    mayChange: 'output',
  },
  PostToolUseFailure: {
    aliases: [],
    when: 'a call was made and failed, or the tool broke',
    matchedOn: 'tool',
    mayBlock: false,
    mayInject: true,
    mayChange: 'output',
  },
  PostToolBatch: {
    aliases: [],
    when: 'all calls of one model answer were made, and the model is about to be asked again; once. A denial, or `continue: false`, ends the turn, which has then failed with that reason',
    matchedOn: 'nothing',
    mayBlock: true,
    mayInject: true,
    mayChange: null,
  },
  PermissionRequest: {
    aliases: [],
    when: 'somebody has to allow a call: a rule of the [permissions](permissions.md) asks, or a hook of `PreToolUse` said `ask` (why: `permission_reason`). `allow` stands in for a person; a hook that says nothing leaves it to the next hook, then to a person',
    matchedOn: 'tool',
    mayBlock: true,
    mayInject: false,
    mayChange: null,
  },
  EventPublish: {
    aliases: [],
    when: 'a hat published an event that its contract allows, and gates and routing come next; whatever agent wears the hat',
    matchedOn: 'topic',
    mayBlock: true,
    mayInject: true,
    mayChange: 'event',
  },
  CompletionRequested: {
    aliases: [],
    when: 'a hat that may end the run declares the work complete, before the gates; whatever agent wears the hat',
    matchedOn: 'hat',
    mayBlock: true,
    mayInject: true,
    mayChange: null,
  },
  RunStart: {
    aliases: [],
    when: 'a run begins or continues (`reason`: `started` or `resumed`)',
    matchedOn: 'nothing',
    mayBlock: false,
    mayInject: false,
    mayChange: null,
  },
  TurnStart: {
    aliases: [],
    when: 'the agent of a turn has begun to work',
    matchedOn: 'hat',
    mayBlock: false,
    mayInject: false,
    mayChange: null,
  },
  TurnEnd: {
    aliases: [],
    when: 'a turn has ended (`reason`: `succeeded`, `failed` or `interrupted`)',
    matchedOn: 'hat',
    mayBlock: false,
    mayInject: false,
    mayChange: null,
  },
  HatChange: {
    aliases: [],
    when: 'the agent of a turn has begun to work, wearing a different hat (`to`) from the turn before (`from`)',
    matchedOn: 'hat',
    mayBlock: false,
    mayInject: false,
    mayChange: null,
  },
  NeedsYou: {
    aliases: [],
    when: 'a run needs a person (`reason`: `question`, an open one is in `question`; `parked`, by a usage limit; `ended`, with something that only a person can do)',
    matchedOn: 'reason',
    mayBlock: false,
    mayInject: false,
    mayChange: null,
  },
  RunEnd: {
    aliases: [],
    when: 'a run has ended (`reason`: [why](../exit-codes.md), such as `completed`)',
    matchedOn: 'reason',
    mayBlock: false,
    mayInject: false,
    mayChange: null,
  },
} as const satisfies Readonly<Record<string, HookMoment>>;

export type HookEventName = keyof typeof HOOK_MOMENTS;

/** The moments, in the order of the table. */
export const HOOK_EVENTS = Object.keys(HOOK_MOMENTS) as readonly HookEventName[];

/** The moment that a name means; `undefined` for none. */
export function findHookEvent(name: string): HookEventName | undefined {
  return HOOK_EVENTS.find((known) => known === name || HOOK_MOMENTS[known].aliases.some((alias) => alias === name));
}

/** The loop itself asks the hooks of these: they bind any agent that wears the hat. */
export function isLoopEvent(event: HookEventName): boolean {
  return event !== 'PostToolBatch' && HOOK_MOMENTS[event].matchedOn !== 'tool';
}

/** Moments that hooks are told of in the background: what they say changes nothing, and nothing waits for them. True: they belong to the run, not to a hat. */
const LIFE_EVENTS = {
  RunStart: true,
  TurnStart: false,
  TurnEnd: false,
  HatChange: false,
  NeedsYou: true,
  RunEnd: true,
} as const satisfies { readonly [E in HookEventName]?: boolean };

export type LifeEventName = keyof typeof LIFE_EVENTS;

/** Whether hooks only observe such an event. */
export function isLifeEvent(event: HookEventName): event is LifeEventName {
  return Object.hasOwn(LIFE_EVENTS, event);
}

/** Whether such an event belongs to the run as a whole: hooks of single hats are not asked about it. */
export function isRunEvent(event: HookEventName): boolean {
  return isLifeEvent(event) && LIFE_EVENTS[event];
}

export interface HookRun {
  readonly name: string;
  readonly event: HookEventName;
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly reason: string;
  readonly error: string | null;
  readonly ms: number;
  /** The beginning of what it injects; empty for nothing. */
  readonly preview: string;
  /** It changed the input or the output. */
  readonly hasChanged?: true;
  /** Its file was changed since the configuration was read, so it was not run. */
  readonly isFileChanged?: true;
  /** The worker that ran it; absent: it ran where it was asked. */
  readonly worker?: string;
}

export interface ToldHook extends HookRun {
  /** The tool, or the topic of an event; empty where it was about all calls of an answer. */
  readonly tool: string;
}

export interface HookRecord {
  /** How often each decided what, at most 200 of these, in the order in which they came first. */
  readonly counts: readonly { readonly name: string; readonly decision: HookRun['decision']; readonly count: number }[];
  /** The first 200 that denied, changed something, spoke to the model or failed. */
  readonly runs: readonly ToldHook[];
}

/** A moment of the loop at which hooks may change what follows. */
export type LoopHookName = 'EventPublish' | 'CompletionRequested';

/** What a hook says to the model behind all results: a text as the user's, or one as the system's. */
export type HookMessage = string | { readonly system: string };

export type HookDialect = 'claude' | 'gemini';
