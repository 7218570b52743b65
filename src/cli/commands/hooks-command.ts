import { hasErrors, renderDiagnostics } from '../../config/findings/diagnostics.ts';
import { findHooks, type Settings } from '../../config/settings.ts';
import { toBackendLabel } from '../../core/backends/backend-spec.ts';
import { DEFAULT_HAT, RALPH } from '../../core/events/reserved.ts';
import { BUILT_IN_HOOKS } from '../../core/hooks/built-in-hooks.ts';
import { findHookEvent, HOOK_EVENTS, type HookEventName, isLifeEvent, isLoopEvent, isRunEvent } from '../../core/hooks/hook-moments.ts';
import type { HookHandler, HookSpec, MergedHooks } from '../../core/hooks/hook-spec.ts';
import { findAliased } from '../../core/hooks/match-tool.ts';
import { toDurationText } from '../../core/text/duration.ts';
import { BUILT_IN_CARDS } from '../../core/tools/built-in-cards.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../core/values/json.ts';
import type { HookedCall, ToolHooks } from '../../hooks/tool-hooks.ts';

import type { Topology } from '../../topology/routing/compile-topology.ts';
import { checkConfig } from '../../validation/check-config.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import { addExamples } from '../args/help.ts';
import { addConfigOptions, addFormatOption, type ConfigOptions, toConfigRequest } from '../args/options.ts';
import { createUnknownNameError, createUsageError } from '../args/usage-error.ts';
import type { AppContext, CliCommand } from '../cli-command.ts';
import type { CommandCall } from '../cli-context.ts';
import { checkContract, toMergedHooks, toTestedDraft } from '../hooks/loop-verdicts.ts';
import { addPermissions, listPermissionRows, listUnbound, toHookVerdicts, toPermissionCells } from '../hooks/permission-rows.ts';
import { printVerdicts, toVerdictsJson } from '../hooks/print-verdicts.ts';
import { testLife } from '../hooks/test-life.ts';
import { untilStopped } from '../live/signals.ts';
import { printTable } from '../terminal/print.ts';
import { isColoured, printJson, printLine } from '../terminal/terminal.ts';

export const hooksCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('[action]', 'test: ask the hooks now, without making a call; default: list them')
      .argument('[event]', `with test: ${HOOK_EVENTS.join(', ')}`)
      .option('--hat <hat>', 'the hooks of this hat')
      .option('--agent <agent>', 'with test: the hooks of this agent of its panel')
      .option('--tool <tool>', 'with test: the tool, by its own name; PostToolBatch needs none')
      .option('--input <json>', 'with test: what the tool is called with, or the event that is published', '{}')
      .option('--reason <reason>', 'with test: why a run or a turn ended, or what a run needs a person for')
      .option('--output <text>', 'with test: what the tool answered', '');
    addConfigOptions(command);
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs: one object per line');
    addExamples(command, [
      ['ralph hooks', 'the hooks of each hat, in order, and whether they bind its agent'],
      ['ralph hooks --hat builder', 'for one hat'],
      [
        `ralph hooks test PreToolUse --tool write_file --input '{"path":"a.txt"}'`,
        'what they would say, each and together, and the permissions',
      ],
      ['ralph hooks test RunEnd --reason completed', 'tell the hooks of an end that has not happened'],
    ]);
  },
  perform,
};

interface HooksFlags extends ConfigOptions {
  readonly hat?: string;
  readonly agent?: string;
  readonly tool?: string;
  readonly input: string;
  readonly output: string;
  readonly reason?: string;
  readonly format: 'text' | 'json';
}

async function perform(context: AppContext, { args, options }: CommandCall): Promise<number> {
  const [action, event] = args;
  const flags = options as unknown as HooksFlags;
  if (action !== undefined && action !== 'test')
    throw createUsageError(
      `ralph hooks does not know ${JSON.stringify(action.slice(0, 80))}.`,
      'It knows only test: ralph hooks test PreToolUse --tool bash',
    );
  const { terminal } = context;
  const { settings, topology, diagnostics } = checkConfig({ ...toConfigRequest(context, flags), prompt: 'optional' });
  const said = diagnostics.filter(({ code }) => settings === null || /^(?:hook|permission)-/.test(code));
  if (said.length > 0) terminal.err(`${renderDiagnostics(said, { color: isColoured(terminal.errStyle) })}\n`);
  if (settings === null || hasErrors(said)) return 1;
  if (flags.hat !== undefined && !Object.hasOwn(settings.backends, flags.hat))
    throw createUnknownNameError(
      'no hat',
      flags.hat,
      Object.keys(settings.backends),
      `The hats are: ${Object.keys(settings.backends).join(', ')}`,
    );
  return action === 'test' ? test(context, { settings, topology }, flags, event) : list(context, settings, flags);
}

interface HookRow {
  /** `null`: of the run as a whole. */
  readonly hat: string | null;
  /** The backend whose hooks these are; absent: those of the hat whatever its backend. */
  readonly backend?: string;
  /** The agent of the hat's panel that is asked; absent: all whose hooks are those of the hat. */
  readonly agent?: string;
  readonly order: number;
  readonly event: HookEventName;
  readonly matcher: string;
  readonly name: string;
  readonly handler: string;
  readonly place: string;
  readonly timeoutMs: number;
  readonly failClosed: boolean;
  readonly once: boolean;
  readonly async: boolean;
  /** The rule about calls that it is asked by; absent: none. */
  readonly if?: string;
  /** In a run on a fleet: what the worker has that runs it; absent: it runs where it is asked. */
  readonly runsOn?: readonly string[];
  /** Agents of the hat that ask no hooks; empty where it binds. */
  readonly unbound: readonly string[];
}

function list({ terminal }: AppContext, settings: Settings, { hat, format }: HooksFlags): number {
  const hats = Object.keys(settings.backends).filter((id) => hat === undefined || id === hat);
  const ofRun = hat === undefined ? (settings.runHooks ?? []).map((spec, index) => toRow(null, index, spec, [])) : [];
  const rows = [...ofRun, ...hats.flatMap((id) => toRows(settings, id))];
  const builtIn = hats.some((id) => settings.backends[id]?.some(({ type }) => type === 'native')) ? Object.values(BUILT_IN_HOOKS) : [];
  const rules = listPermissionRows(settings, hat);
  if (format === 'json') {
    for (const row of [...rows, ...builtIn.map((hook) => ({ builtIn: true, ...hook })), ...rules]) printJson(terminal, { v: 1, ...row });
    return 0;
  }
  if (rows.length === 0 && rules.length === 0) terminal.err('There are no hooks and no permissions.\n');
  const tables: readonly (readonly [readonly string[], readonly (readonly string[])[]])[] = [
    [['hat', 'event', 'about', 'hook', 'asks', 'terms', 'written', 'binds'], rows.map(toCells)],
    [
      ['built in', 'event', 'tools', 'what it does for every hat of the native agent'],
      builtIn.map(({ name, event, matcher, does }) => [name, event, matcher, does]),
    ],
    [['hat', 'permission', 'rule', 'written', 'binds'], rules.map(toPermissionCells)],
  ];
  for (const [index, [head, cells]] of tables.filter(([, body]) => body.length > 0).entries()) {
    if (index > 0) printLine(terminal, '');
    printTable(terminal, head, cells);
  }
  return 0;
}

/** The hooks of a hat, then those of each of its backends that has some of its own. Of a panel in which some agent has: those of each agent. */
function toRows(settings: Settings, hat: string): readonly HookRow[] {
  const worn = settings.backends[hat] ?? [];
  const agents = listAgents(settings, hat);
  const hasOwn = worn.filter(({ hookList }) => hookList !== undefined);
  const isApart = agents.length > 0 && hasOwn.length > 0;
  const unbound = listUnbound(worn.filter(({ hookList }) => hookList === undefined));
  const ofHat = isApart || hasOwn.length === worn.length ? [] : (settings.hooks?.[hat] ?? []);
  const ofBackends = worn.flatMap((backend, place) => {
    if (!isApart && backend.hookList === undefined) return [];
    const agent = agents[place];
    const name = backend.model === undefined ? toBackendLabel(backend) : `${toBackendLabel(backend)} ${backend.model}`;
    const who = { backend: name, ...(agent === undefined ? {} : { agent }) };
    return findHooks(settings, hat, backend).map((spec, index) => ({ ...toRow(hat, index, spec, listUnbound([backend])), ...who }));
  });
  return [...ofHat.map((spec, index) => toRow(hat, index, spec, unbound)), ...ofBackends];
}

/** Ids of the agents of its panel, in the order of its backends. */
function listAgents({ spec }: Settings, hat: string): readonly string[] {
  return spec.hats?.find(({ id }) => id === hat)?.panel?.agents.map(({ id }) => id) ?? [];
}

/** The hooks that a test asks: those of the agent that is named, else of the first native agent of the hat, else those that it would have. */
function toHooks(settings: Settings, hat: string, agent: string | undefined): readonly HookSpec[] {
  const worn = settings.backends[hat] ?? [];
  if (agent !== undefined) {
    const agents = listAgents(settings, hat);
    const named = worn[agents.indexOf(agent)];
    if (named === undefined)
      throw createUnknownNameError('no agent', agent, agents, `The agents of ${hat} are: ${agents.join(', ') || 'none, it has no panel'}`);
    return findHooks(settings, hat, named);
  }
  const native = worn.find(({ type }) => type === 'native');
  return native === undefined ? (settings.hooks?.[hat] ?? []) : findHooks(settings, hat, native);
}

function toRow(hat: string | null, index: number, spec: HookSpec, unbound: readonly string[]): HookRow {
  const { event, matcher, name, handler, place, timeoutMs, rule, runsOn } = spec;
  return {
    ...{ hat, order: index + 1, event, matcher, name, handler: toHandlerText(handler), place, timeoutMs },
    ...{ failClosed: spec.isFailClosed, once: spec.isOnce === true, async: spec.isAsync === true },
    ...(rule === undefined ? {} : { if: rule }),
    ...(runsOn === undefined ? {} : { runsOn }),
    unbound: isLoopEvent(event) ? [] : unbound,
  };
}

function toHandlerText(handler: HookHandler): string {
  switch (handler.kind) {
    case 'command':
      return handler.argv.join(' ');
    case 'shell':
      return handler.line;
    case 'module':
      return `${handler.file.path}#${handler.exported}`;
    case 'python':
      return `python ${handler.path}`;
  }
}

/** When a hook is asked beside its matcher, where, and what its failure means: `if bash(git push *), once, 5 s, on gpu, fail_closed`. */
function toTerms({ if: rule, once, async, timeoutMs, runsOn = [], failClosed }: HookRow): string {
  const terms = [rule === undefined ? '' : `if ${rule}`, once ? 'once' : '', async ? 'async' : '', toDurationText(timeoutMs)];
  const where = runsOn.length === 0 ? '' : `on ${runsOn.join('+')}`;
  return [...terms, where, failClosed ? 'fail_closed' : ''].filter((term) => term !== '').join(', ');
}

function toCells(row: HookRow): readonly string[] {
  const { hat, backend, agent, event, matcher, name, handler, place, unbound } = row;
  const binds = unbound.length === 0 ? 'yes' : `not ${unbound.join(', ')}`;
  const who = backend === undefined ? (hat ?? '(the run)') : `${hat} (${toPlainLine(agent ?? backend, 60)})`;
  return [
    who,
    event,
    toPlainLine(matcher, 60),
    toPlainLine(name, 60),
    toPlainLine(handler, 100),
    toPlainLine(toTerms(row), 80),
    toPlainLine(place, 80),
    binds,
  ];
}

interface Tried {
  readonly settings: Settings;
  readonly topology: Topology | null;
}

async function test(context: AppContext, tried: Tried, flags: HooksFlags, word: string | undefined): Promise<number> {
  const { settings } = tried;
  const event = toEvent(word);
  if (isLoopEvent(event)) return testLoop(context, tried, flags, event);
  const { tool = '', output, format } = flags;
  if (tool !== '') requireTool(settings, tool);
  // A batch has no tool of its own, and may be looked at without a call in it.
  else if (event !== 'PostToolBatch') throw createUsageError('Which tool is called?', 'Name it: --tool write_file');
  const hat = findHat(settings, flags.hat);
  const input = toInput(flags.input);
  const { createToolHooks } = await context.loadApp();
  const { cwd, env, now } = context;
  const specs = toHooks(settings, hat, flags.agent);
  const agentId = hat === RALPH || hat === DEFAULT_HAT ? null : hat;
  const { result: merged, stoppedBy } = await untilStopped(context, (signal) => {
    const hooks = createToolHooks(
      specs,
      { run: 'test', turn: '0.0', hat, agentId, cwd, env, signal, marker: 'test' },
      { now, steady: () => performance.now() },
    );
    const call = { id: 'test', tool, input };
    return ask(hooks, event, call, output)
      .then(async (known) => withLate(known, await hooks.awaitLate()))
      .finally(hooks.close);
  });
  if (stoppedBy !== null) return stoppedBy;
  const call = { tool, input: merged.input ?? input, workspace: cwd };
  const said = event === 'PreToolUse' ? addPermissions(settings, hat, call, merged) : { verdicts: toHookVerdicts(merged), merged };
  if (format === 'json') printJson(context.terminal, toVerdictsJson(said, null));
  else printVerdicts(context, said, { onAsk: settings.permissions?.[hat]?.onAsk ?? 'deny', contract: null });
  return 0;
}

/** Hooks of the loop are asked about an event that is not published. */
async function testLoop(context: AppContext, { settings, topology }: Tried, flags: HooksFlags, event: HookEventName): Promise<number> {
  if (isLifeEvent(event)) {
    const { reason, format } = flags;
    return testLife(context, settings, { event, hat: isRunEvent(event) ? '' : findHat(settings, flags.hat), reason, format });
  }
  if (event !== 'EventPublish' && event !== 'CompletionRequested')
    throw createUsageError(`${event} cannot be tried.`, 'It is asked in a run.');
  const hat = findHat(settings, flags.hat);
  const draft = toTestedDraft(event, toInput(flags.input));
  const { createLoopHookAsker } = await context.loadApp();
  const { cwd, env, now } = context;
  const scene = { run: 'test', cwd, env, marker: 'test' };
  const { result: merged, stoppedBy } = await untilStopped(context, async (signal) => {
    const hooks = createLoopHookAsker((id) => settings.hooks?.[id] ?? [], scene, { now, steady: () => performance.now() });
    const [answer] = await hooks.ask({ event, hat, iteration: 0, drafts: [draft] }, signal).finally(hooks.close);
    return toMergedHooks(event, answer ?? { isDropped: false, reason: '', told: [], runs: [] });
  });
  if (stoppedBy !== null) return stoppedBy;
  const said = { verdicts: toHookVerdicts(merged), merged };
  const contract = event === 'EventPublish' && topology !== null ? checkContract(topology, hat, draft, merged) : null;
  if (flags.format === 'json') printJson(context.terminal, toVerdictsJson(said, contract));
  else printVerdicts(context, said, { onAsk: null, contract });
  return 0;
}

/** A run waits for none of these; whoever tries them wants to see what they say. */
function withLate(merged: MergedHooks, late: MergedHooks): MergedHooks {
  return { ...merged, injects: [...merged.injects, ...late.injects], runs: [...merged.runs, ...late.runs] };
}

/** Hooks are asked about no other tool: a test of one that is not there would say that its call is made. */
function requireTool({ tools, mcpServers }: Settings, tool: string): void {
  const known = [...BUILT_IN_CARDS.map(({ name }) => name), ...Object.keys(tools?.plugins ?? {})];
  if (known.includes(tool) || Object.keys(mcpServers).some((server) => tool.startsWith(`mcp__${server}__`))) return;
  const fix = 'ralph tools lists them. The tools of an MCP server are called mcp__<server>__<tool>.';
  const meant = findAliased(tool);
  if (meant.length > 0) throw createUsageError(`There is no tool ${JSON.stringify(tool)} here: it is called ${meant.join(' or ')}.`, fix);
  throw createUnknownNameError('no tool', tool, known, fix);
}

/** Asks about that one call, or about an answer of the model that makes only this one; without a tool about one that makes none. */
function ask(hooks: ToolHooks, event: HookEventName, call: HookedCall, output: string): Promise<MergedHooks> {
  const { id, tool, input } = call;
  switch (event) {
    case 'PreToolUse':
      return hooks.before(call);
    case 'PostToolUse':
      return hooks.after(call, output, false);
    case 'PostToolUseFailure':
      return hooks.after(call, output, true);
    case 'PostToolBatch':
      return hooks.afterAll(
        tool === '' ? [] : [{ tool_name: tool, tool_use_id: id, tool_input: input, tool_output: output, tool_is_error: false }],
      );
    case 'PermissionRequest':
      return hooks.request({ ...call, reason: 'ralph hooks test' });
    case 'EventPublish':
    case 'CompletionRequested':
    case 'RunStart':
    case 'TurnStart':
    case 'TurnEnd':
    case 'HatChange':
    case 'NeedsYou':
    case 'RunEnd':
      throw new Error(`${event} is about no call of a tool`);
  }
}

function toEvent(word: string | undefined): HookEventName {
  const event = word === undefined ? undefined : findHookEvent(word);
  if (event !== undefined) return event;
  if (word === undefined) throw createUsageError('Which event?', `Name it: ralph hooks test ${HOOK_EVENTS[0]} --tool bash`);
  throw createUnknownNameError('no event', word, HOOK_EVENTS, `The events are: ${HOOK_EVENTS.join(', ')}`);
}

function findHat(settings: Settings, named: string | undefined): string {
  if (named !== undefined) return named;
  const hats = Object.keys({ ...settings.hooks, ...settings.permissions });
  const own = hats.filter((hat) => hat !== RALPH && hat !== DEFAULT_HAT);
  const [only] = own.length > 0 ? own : hats;
  if (own.length > 1) throw createUsageError('For which hat?', `Name it: --hat ${only}`);
  return only ?? RALPH;
}

function toInput(text: string): JsonObject {
  const value: Json | undefined = parseJson(text);
  if (value !== undefined && isJsonObject(value)) return value;
  throw createUsageError('What --input says is no JSON object.', `Write for example: --input '{"path":"a.txt"}'`);
}
