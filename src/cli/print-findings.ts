import type { AppApi } from './cli-context.ts';
import type { Terminal } from './terminal.ts';

type Diagnostics = Awaited<ReturnType<AppApi['planRun']>>['diagnostics'];

/** Warnings, hints and notes about the configuration, on standard error. */
export async function printFindings(terminal: Terminal, diagnostics: Diagnostics): Promise<void> {
  if (diagnostics.length === 0) return;
  const { renderDiagnostics } = await import('../config/index.ts');
  terminal.err(`${renderDiagnostics(diagnostics, { color: terminal.errStyle('heading', 'x') !== 'x' })}\n\n`);
}
