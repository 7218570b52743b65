import { join } from 'node:path';
import { findCli } from '../backends/clis.ts';
import type { Settings } from '../config/settings.ts';
import type { BackendSpec } from '../core/backends/backend-spec.ts';
import { RALPH } from '../core/events/reserved.ts';
import type { IterationStart } from '../core/run/effects.ts';
import type { ServerTool } from '../core/tools/server-tools.ts';
import { mayChangeTree } from '../core/tools/tool-profiles.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import { decide, INITIAL_STATE } from '../loop/decide/decide.ts';
import type { AgentPromptFacts } from '../loop/shell/loop-ports.ts';
import type { HandWay } from '../panel/run/panel-settings.ts';
import { createRedaction } from '../process/redact.ts';
import type { PromptOptions, PromptTurn } from '../prompts/prompt-context.ts';
import { findAgentPolicy, toAgentCapabilities } from '../runs/hat-capabilities.ts';
import { findKnownSecrets } from '../safety/known-secrets.ts';
import { canAttachEmit } from '../sandbox/plan-scope.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';

/** Of a longer scratchpad only so many bytes are read: its end. */
const MAX_READ_BYTES = 65_536;

/** What prompts mention of the configuration, with what the run itself decides: whether agents commit. */
export function toPromptOptions(settings: Pick<Settings, 'prompts' | 'agentCommits' | 'human'>, isOwnBranch: boolean): PromptOptions {
  const { agentCommits, human } = settings;
  // Only where somebody has said that agents may ask is anybody likely to answer.
  const prompts = human?.ask === 'on' ? { ...settings.prompts, asksPeople: true } : settings.prompts;
  const agentsCommit = agentCommits === undefined || (agentCommits === 'own_branch' && isOwnBranch);
  return agentsCommit ? prompts : { ...prompts, agentsCommit };
}

/** The hat whose turn it is, and which of its agents takes it. */
export type TurnOwner = Pick<IterationStart, 'hat' | 'backend' | 'copy'>;

/** The agent that takes a turn. Throws RalphError `backend-missing`. */
export function findSpec({ backends }: Pick<Settings, 'backends'>, order: TurnOwner): BackendSpec {
  const list = backends[order.hat] ?? backends[RALPH] ?? [];
  const spec = list[order.backend] ?? list[0];
  if (spec !== undefined) return spec;
  throw new RalphError({
    code: 'backend-missing',
    what: `No backend is configured for ${order.hat}.`,
    fix: 'Name one under `cli.backend`.',
  });
}

function isPanel({ spec }: Settings, hat: string): boolean {
  return spec.hats?.some(({ id, panel }) => id === hat && panel !== undefined) === true;
}

/** What all agents of a panel may and may not; nothing of that in which they differ, for they are all given the same prompt. */
function toCommonAbilities(settings: Settings, hat: string): Pick<PromptTurn, 'mayWrite' | 'mayRun'> {
  const [first, ...others] = (settings.backends[hat] ?? []).map((spec) => toAbilities(settings, hat, spec));
  const mayWrite = others.every((other) => other.mayWrite === first?.mayWrite) ? first?.mayWrite : undefined;
  const mayRun = others.every((other) => other.mayRun === first?.mayRun) ? first?.mayRun : undefined;
  return { ...(mayWrite === undefined ? {} : { mayWrite }), ...(mayRun === undefined ? {} : { mayRun }) };
}

/** A sentence for an agent of a panel that may write less than others of it; empty where the prompt of all says what it may. */
export function toOwnLimits(settings: Settings, hat: string, spec: BackendSpec): string {
  const isSaid = toCommonAbilities(settings, hat).mayWrite !== undefined;
  return !isSaid && toAbilities(settings, hat, spec).mayWrite === false ? 'You may not change files: look, and say what you found.' : '';
}

export function toAgentPromptFacts(settings: Settings, order: TurnOwner): AgentPromptFacts {
  const spec = findSpec(settings, order);
  return {
    // What an agent of a panel notes and commits stays in its own folder.
    ...(isPanel(settings, order.hat)
      ? { ...toCommonAbilities(settings, order.hat), mayNote: false, mayCommit: false }
      : toAbilities(settings, order.hat, spec)),
    // Nor does what one notes or commits in a copy of the folder come out of it.
    ...(order.copy !== undefined && { mayNote: false, mayCommit: false }),
    hasEmitTool: hasEmitTool(settings, order.hat, spec),
    losesPath: findCli(spec.type)?.losesPath === true,
    keepsContext: spec.native?.context === 'carry',
  };
}

/**
 * The first turn of a run, as it would begin now: the loop itself says whose it is and what it is about.
 *
 * @returns null where none would: a limit is used up before it begins
 */
export function planFirstTurn(settings: Settings, topology: Topology, { cwd, env }: FirstTurnPlace): PromptTurn | null {
  const { limits } = settings.spec;
  const started = { type: 'run-started', at: 0, runId: '', spec: settings.spec, flags: [], inboxOffset: 0 } as const;
  const begun = decide(topology, INITIAL_STATE, started);
  const asked = begun.effects.find((effect) => effect.type === 'gates-run');
  // What gates will show before it is not known yet.
  const { effects } =
    asked === undefined ? begun : decide(topology, begun.state, { type: 'gates-finished', at: 0, request: asked.request, results: [] });
  const order = effects.find((effect) => effect.type === 'iteration-start');
  if (order === undefined) return null;
  const hasAgent = (settings.backends[order.hat] ?? settings.backends[RALPH] ?? []).length > 0;
  const found = readScratchpad(cwd, settings.prompts.scratchpad);
  const redaction = createRedaction(env, findKnownSecrets(settings, env));
  const scratchpad = found === null ? {} : { scratchpad: { ...found, text: redaction?.text(found.text) ?? found.text } };
  return { ...order, ...(hasAgent ? toAgentPromptFacts(settings, order) : {}), ...scratchpad, maxIterations: limits.maxIterations };
}

/** The workspace, and the environment whose secrets stay out of prompts. */
interface FirstTurnPlace {
  readonly cwd: string;
  readonly env: Environment;
}

/** What an agent that wears a hat may do to the workspace, by its profile; nothing is said where none holds it back. */
export function toAbilities(
  settings: Pick<Settings, 'policies' | 'profiles'>,
  hat: string,
  spec: Pick<BackendSpec, 'type' | 'profile'>,
): Pick<PromptTurn, 'mayWrite' | 'mayNote' | 'mayRun' | 'mayCommit'> {
  const isNative = spec.type === 'native';
  if (findAgentPolicy(settings, hat, spec) === null && !isNative) return {};
  const may = toAgentCapabilities(settings, hat, spec);
  const mayWrite = mayChangeTree(may);
  // The native agent has a tool for the scratchpad under every profile; a CLI writes it as it writes any file.
  return { mayWrite, mayNote: isNative || mayWrite, mayRun: may.mayRunShell, mayCommit: may.mayRunShell || may.mayGitWrite };
}

/** The scratchpad, of a long one the end. `null` where it is not there, not a plain file, or behind a link: agents may put anything in its place. */
export function readScratchpad(workspace: string, path: string): NonNullable<PromptTurn['scratchpad']> | null {
  const fs = createSharedFileSystem(workspace);
  try {
    const handle = fs.open(join(workspace, path), 'read');
    try {
      const sizeBytes = fs.stat(join(workspace, path))?.sizeBytes ?? 0;
      const start = Math.max(0, sizeBytes - MAX_READ_BYTES);
      const bytes = new Uint8Array(Math.min(sizeBytes, MAX_READ_BYTES));
      const count = fs.read(handle, bytes, start);
      return { text: new TextDecoder().decode(bytes.subarray(0, count)), isWhole: start === 0 };
    } finally {
      fs.close(handle);
    }
  } catch {
    return null;
  }
}

/**
 * Whether the wearer of a hat has the tool `emit_event`: the native agent always, agent CLIs where it is attached to them (`cli.emit_tool`).
 *
 * @param hat a hat id or `ralph`
 */
export function hasEmitTool(
  settings: Pick<Settings, 'emitTool' | 'policies' | 'spec'>,
  hat: string,
  { type }: Pick<BackendSpec, 'type'>,
): boolean {
  if (type === 'native') return true;
  // What is written into the file by a tool is not read where that channel is off.
  if (!canAttachEmit(type) || !settings.spec.eventSources.includes('jsonl')) return false;
  if (settings.emitTool === 'on' || settings.emitTool === 'all') return true;
  return settings.emitTool === 'auto' && (settings.policies?.[hat] ?? null) !== null;
}

/** How the agent of a panel hands in: by the surest of the ways that it has. Of a program that nobody knows it is not known whether it can call anything. */
export function findHandWay(
  settings: Pick<Settings, 'policies' | 'profiles' | 'emitTool'>,
  hat: string,
  spec: Pick<BackendSpec, 'type' | 'profile'>,
): HandWay {
  const { type } = spec;
  if (type === 'native' || hasHandInTools(settings, spec)) return { kind: 'tools' };
  const cli = findCli(type);
  if (cli === null || toAbilities(settings, hat, spec).mayRun === false) return { kind: 'words' };
  return { kind: 'command', command: cli.losesPath === true ? '"$RALPH_BIN"' : 'ralph' };
}

/** Whether an agent CLI gets the tools that hand in: there is no panel without them, so they are attached unless nothing is to be. */
export function hasHandInTools({ emitTool }: Pick<Settings, 'emitTool'>, { type }: Pick<BackendSpec, 'type'>): boolean {
  return type !== 'native' && emitTool !== 'off' && canAttachEmit(type);
}

/** What Ralph's server offers agent CLIs beside `emit_event`. Each tool costs every turn its description, so none is offered that nobody asked for. */
export function listMoreTools({ human, emitTool }: Pick<Settings, 'human' | 'emitTool'>): readonly ServerTool[] {
  return [
    ...(human?.ask === 'on' ? ['ask_person' as const] : []),
    ...(emitTool === 'all' ? ['list_hats' as const, 'read_events' as const] : []),
  ];
}
