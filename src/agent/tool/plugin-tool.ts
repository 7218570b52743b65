import type { PluginContext, PluginPath, PluginResult, PluginTool } from '../../core/tools/plugin-tool.ts';
import { PESSIMISTIC_HINTS } from '../../core/tools/tool-card.ts';
import type { JsonObject } from '../../core/values/json.ts';
import type { Result } from '../../core/values/result.ts';
import { toJsonSchemaType } from './json-schema-type.ts';
import { type AnyTool, fail, type Tool, type ToolContext, type ToolResult } from './tool.ts';

/** How long a tool may go on after the turn was stopped: it is code of others, which may not listen. */
const PATIENCE_MS = 2000;

/** A tool that a program registered as one of ours. */
export function toPluginTool({ name, group, description, hints, parameters, run }: PluginTool): AnyTool {
  const tool: Tool<JsonObject> = {
    name,
    group,
    description,
    hints: { ...PESSIMISTIC_HINTS, ...hints },
    parameters: toJsonSchemaType(parameters),
    run: async (args, context) => {
      const stop = waitForStop(context.signal, name);
      try {
        return await Promise.race([Promise.resolve(run(args, toPluginContext(context))).then(toResult), stop.stopped]);
      } finally {
        stop.forget();
      }
    },
  };
  return tool;
}

function toPluginContext({ jail, signal, env }: ToolContext): PluginContext {
  return {
    workspace: jail.workspace,
    signal,
    env,
    resolveRead: async (path) => toPluginPath(await jail.resolveRead(path)),
    resolveWrite: async (path) => toPluginPath(await jail.resolveWrite(path)),
  };
}

/** The form that plugins are promised. */
function toPluginPath(real: Result<string>): PluginPath {
  return real.ok ? { path: real.value } : { refused: real.refused.reason, advice: real.refused.advice };
}

/** Types say what a tool gives back; a program need not have been checked by them. */
function toResult(result: PluginResult | undefined): ToolResult {
  if (typeof result?.text !== 'string') return fail('The tool gave no text.', 'Go on without it.');
  return { text: result.text, isError: result.isError === true };
}

function waitForStop(signal: AbortSignal, name: string): { readonly stopped: Promise<ToolResult>; readonly forget: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let listener = (): void => undefined;
  const stopped = new Promise<ToolResult>((resolve) => {
    listener = () => {
      timer = setTimeout(() => resolve(fail(`${name} was given up: the turn is being stopped.`)), PATIENCE_MS);
    };
    signal.addEventListener('abort', listener, { once: true });
  });
  return {
    stopped,
    forget: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', listener);
    },
  };
}
