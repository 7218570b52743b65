import { setTimeout as pause } from 'node:timers/promises';
import { deserializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpServerSpec } from '../../core/tools/mcp-server-spec.ts';
import type { Environment } from '../../core/values/environment.ts';
import type { Isolation } from '../../ports/program.ts';
import type { ChildProcessHandle, ProcessResult } from '../../process/contract.ts';
import { startProcess } from '../../process/start-process.ts';

export interface McpPlace {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Environment;
  /** By which the processes of the servers can be found again. */
  readonly marker: string;
  /** The namespaces that each server gets; absent: none. */
  readonly isolation?: Isolation | undefined;
  /** Aborts when the turn is stopped. */
  readonly signal: AbortSignal;
}

/** What every server gets of the environment; what else it needs, a secret above all, is named in its `env`. */
const INHERITED = [
  'HOME',
  'LANG',
  'LC_ALL',
  'LOGNAME',
  'PATH',
  'SHELL',
  'SYSTEMROOT',
  'TEMP',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  'USERPROFILE',
];

const MAX_MESSAGE_BYTES = 8_000_000;
const STOP_GRACE_MS = 500;
const LAST_WORDS_MS = 1000;

/** A server that runs as a child of ours and speaks on its standard input and output, one message a line. */
export interface ProcessTransport extends Transport {
  /** How the process ended; `null` before it was started. */
  readonly ended: () => Promise<ProcessResult> | null;
}

/** Makes the transport; `start` starts the process, and `close` ends it with everything that it started. */
export function createProcessTransport(
  { name, command = '', args, env }: McpServerSpec,
  { cwd, env: outer, marker, isolation }: McpPlace,
): ProcessTransport {
  let child: ChildProcessHandle | null = null;
  const transport: ProcessTransport = {
    ended: () => child?.result ?? null,
    start: async () => {
      const inherited = Object.fromEntries(INHERITED.map((variable) => [variable, outer[variable]]));
      const started = startProcess({
        command,
        args,
        cwd,
        env: { ...inherited, ...env },
        input: { kind: 'open' },
        isolation,
        // Of its own: when one process ends, everything else that has its marker is ended with it.
        ...(marker === '' ? {} : { marker: `${marker}.mcp.${name}` }),
        maxLineBytes: MAX_MESSAGE_BYTES,
        stopGraceMs: STOP_GRACE_MS,
        onStdoutLine: (line, isCut) => takeLine(transport, line, isCut, () => void started.stop(STOP_GRACE_MS)),
      });
      child = started;
      void started.result.then(() => transport.onclose?.());
      if (started.pid === undefined) throw new Error((await started.result).error?.message ?? 'it cannot be started');
    },
    send: async (message) => {
      if (child !== null && (await child.write(JSON.stringify(message)))) return;
      // Mostly it has ended, and its last words say more: whoever stops it now would never hear them.
      await Promise.race([child?.result, pause(LAST_WORDS_MS, undefined, { ref: false })]);
      throw new Error('the server does not read any more');
    },
    close: async () => {
      child?.endInput();
      await child?.stop(STOP_GRACE_MS);
    },
  };
  return transport;
}

/** A line that is no message is no reason to give the server up: many print a greeting. One that does not end is. */
function takeLine(transport: Transport, line: string, isCut: boolean, giveUp: () => void): void {
  if (isCut) {
    transport.onerror?.(new Error('a message was too long'));
    giveUp();
    return;
  }
  if (line.trim() === '') return;
  try {
    transport.onmessage?.(deserializeMessage(line));
  } catch (error) {
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}
