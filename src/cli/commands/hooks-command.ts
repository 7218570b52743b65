import type { HookedCall, ToolHooks } from '../../app/index.ts';
import { hasErrors, renderDiagnostics, type Settings } from '../../config/index.ts';
import { DEFAULT_HAT, RALPH } from '../../core/events/reserved.ts';
import { BUILT_IN_HOOKS, type BuiltInHook } from '../../core/hooks/built-in-hooks.ts';
import { findHookEvent, HOOK_EVENTS, type HookEventName, type HookHandler, type HookSpec } from '../../core/hooks/hook-spec.ts';
import type { HookInject, MergedHooks } from '../../core/hooks/hook-verdict.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../core/values/json.ts';
import { checkConfig } from '../../validation/index.ts';
import { toPlainLine } from '../../views/text/index.ts';
import { addExamples } from '../args/help.ts';
import { addConfigOptions, addFormatOption, type ConfigOptions, toConfigRequest } from '../args/options.ts';
import { createUnknownNameError, createUsageError } from '../args/usage-error.ts';
import type { CliCommand, CliContext, CommandCall } from '../cli-context.ts';
import { untilStopped } from '../live/signals.ts';
import { printTable } from '../terminal/print.ts';
import { isColoured, printJson, printLine } from '../terminal/terminal.ts';

/** `ralph hooks`. */
export const hooksCommand: CliCommand = {
  declare: (command) => {
    command
      .argument('[action]', 'test: ask the hooks now, about a call that is not made; default: the list')
      .argument('[event]', `of a test: ${HOOK_EVENTS.join(', ')}`)
      .option('--hat <hat>', 'the hooks of this hat')
      .option('--tool <tool>', 'of a test: the tool, by its own name')
      .option('--input <json>', 'of a test: what the tool is called with', '{}')
      .option('--output <text>', 'of a test: what the tool answered', '');
    addConfigOptions(command);
    addFormatOption(command, ['text', 'json'], 'text for people, json for programs: one object per line');
    addExamples(command, [
      ['ralph hooks', 'what is asked about calls of tools, for each hat, in order, and whether it binds its agent'],
      ['ralph hooks --hat builder', 'for one hat'],
      [`ralph hooks test PreToolUse --tool write_file --input '{"path":"a.txt"}'`, 'what they would say, each and together'],
    ]);
  },
  perform,
};

interface HooksFlags extends ConfigOptions {
  readonly hat?: string;
  readonly tool?: string;
  readonly input: string;
  readonly output: string;
  readonly format: 'text' | 'json';
}

async function perform(context: CliContext, { args, options }: CommandCall): Promise<number> {
  const [action, event] = args;
  const flags = options as unknown as HooksFlags;
  if (action !== undefined && action !== 'test')
    throw createUsageError(
      `ralph hooks does not know ${JSON.stringify(action.slice(0, 80))}.`,
      'It knows only test: ralph hooks test PreToolUse --tool bash',
    );
  const { terminal } = context;
  const { settings, diagnostics } = checkConfig({ ...toConfigRequest(context, flags), prompt: 'optional' });
  const said = diagnostics.filter(({ code }) => settings === null || code.startsWith('hook'));
  if (said.length > 0) terminal.err(`${renderDiagnostics(said, { color: isColoured(terminal.errStyle) })}\n`);
  if (settings === null || hasErrors(said)) return 1;
  if (flags.hat !== undefined && !Object.hasOwn(settings.backends, flags.hat))
    throw createUnknownNameError(
      'no hat',
      flags.hat,
      Object.keys(settings.backends),
      `The hats are: ${Object.keys(settings.backends).join(', ')}`,
    );
  return action === 'test' ? test(context, settings, flags, event) : list(context, settings, flags);
}

/** A hook as programs are told of it. */
interface HookRow {
  readonly hat: string;
  readonly order: number;
  readonly event: HookEventName;
  readonly matcher: string;
  readonly name: string;
  readonly handler: string;
  readonly place: string;
  /** Agents of the hat that ask no hooks; empty where it binds. */
  readonly unbound: readonly string[];
}

function list({ terminal }: CliContext, settings: Settings, { hat, format }: HooksFlags): number {
  const hats = Object.entries(settings.hooks ?? {}).filter(([id]) => hat === undefined || id === hat);
  const rows = hats.flatMap(([id, specs]) => {
    const unbound = [...new Set((settings.backends[id] ?? []).map(({ type }) => type).filter((type) => type !== 'native'))];
    return specs.map((spec, index): HookRow => toRow(id, index, spec, unbound));
  });
  const builtIn = Object.values(BUILT_IN_HOOKS);
  if (format === 'json') for (const row of rows) printJson(terminal, { v: 1, ...row });
  else if (rows.length === 0) terminal.err('There are no hooks.\n');
  else printTable(terminal, ['hat', 'event', 'tools', 'hook', 'asks', 'written', 'binds'], rows.map(toCells));
  const isNative = Object.entries(settings.backends).some(
    ([id, specs]) => (hat ?? id) === id && specs.some(({ type }) => type === 'native'),
  );
  if (!isNative) return 0;
  if (format === 'json') for (const hook of builtIn) printJson(terminal, { v: 1, builtIn: true, ...hook });
  else {
    printLine(terminal, '');
    printTable(
      terminal,
      ['built in', 'event', 'tools', 'what it does for every hat of the native agent'],
      builtIn.map(({ name, event, matcher, does }: BuiltInHook) => [name, event, matcher, does]),
    );
  }
  return 0;
}

function toRow(hat: string, index: number, { event, matcher, name, handler, place }: HookSpec, unbound: readonly string[]): HookRow {
  return { hat, order: index + 1, event, matcher, name, handler: toHandlerText(handler), place, unbound };
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

function toCells({ hat, event, matcher, name, handler, place, unbound }: HookRow): readonly string[] {
  const binds = unbound.length === 0 ? 'yes' : `not ${unbound.join(', ')}`;
  return [hat, event, toPlainLine(matcher, 60), toPlainLine(name, 60), toPlainLine(handler, 100), toPlainLine(place, 80), binds];
}

async function test(context: CliContext, settings: Settings, flags: HooksFlags, word: string | undefined): Promise<number> {
  const event = toEvent(word);
  const { tool, output, format } = flags;
  if (tool === undefined) throw createUsageError('Which tool is called?', 'Name it: --tool write_file');
  const hat = findHat(settings, flags.hat);
  const input = toInput(flags.input);
  const { createToolHooks } = await context.loadApp();
  const { cwd, env, now } = context;
  const specs = settings.hooks?.[hat] ?? [];
  const agentId = hat === RALPH || hat === DEFAULT_HAT ? null : hat;
  const { result: merged, stoppedBy } = await untilStopped(context, (signal) => {
    const hooks = createToolHooks(
      specs,
      { run: 'test', turn: '0.0', hat, agentId, cwd, env, signal, marker: 'test' },
      { now, steady: () => performance.now() },
    );
    const call = { id: 'test', tool, input };
    return ask(hooks, event, call, output).finally(hooks.close);
  });
  if (stoppedBy !== null) return stoppedBy;
  if (format === 'json') printJson(context.terminal, toReport(merged));
  else printVerdicts(context, merged);
  return 0;
}

/** Asks about that one call, or about an answer of the model that makes only this one. */
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
      return hooks.afterAll([{ tool_name: tool, tool_use_id: id, tool_input: input, tool_output: output, tool_is_error: false }]);
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
  const hats = Object.keys(settings.hooks ?? {});
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

/** What `--format json` prints. */
function toReport({ decision, reason, input, output, injects, runs }: MergedHooks): object {
  return {
    v: 1,
    verdicts: runs.map(({ name, decision: own, reason: why, error, ms }) => ({ name, decision: own, reason: why, error, ms })),
    merged: {
      decision,
      reason,
      updated_input: input ?? null,
      updated_output: output ?? null,
      injects,
      errors: runs.flatMap(({ name, error }) => (error === null ? [] : [`${name}: ${error}`])),
    },
  };
}

function printVerdicts({ terminal }: CliContext, { decision, reason, input, output, injects, runs }: MergedHooks): void {
  if (runs.length === 0) {
    printLine(terminal, 'No hook is asked about this call: it would be made.');
    return;
  }
  printTable(
    terminal,
    ['hook', 'says', 'reason', 'error', 'ms'],
    runs.map(({ name, decision: own, reason: why, error, ms }) => [
      toPlainLine(name, 60),
      own,
      toPlainLine(why, 200) || '-',
      toPlainLine(error ?? '', 200) || '-',
      ms.toFixed(1),
    ]),
  );
  printLine(terminal, '');
  printLine(terminal, `Together: ${decision}${reason === '' ? '' : `, because ${toPlainLine(reason, 400)}`}`);
  if (decision === 'ask') printLine(terminal, 'In this version nobody can be asked: it is denied.');
  if (input !== undefined) printLine(terminal, `The tool would be called with ${toPlainLine(JSON.stringify(input), 400)}`);
  if (output !== undefined) printLine(terminal, `The model would read instead: ${toPlainLine(output, 400)}`);
  for (const inject of injects) printLine(terminal, toInjectLine(inject));
}

const INJECT_PLACES = {
  tool_result: 'behind the result',
  user_message: 'in a message behind all results',
  system_message: 'in a message of the system behind all results',
} as const satisfies Record<HookInject['strategy'], string>;

function toInjectLine({ content, strategy }: HookInject): string {
  return `The model would read ${INJECT_PLACES[strategy]}: ${toPlainLine(content, 400)}`;
}
