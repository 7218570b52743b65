import type { AppApi } from './app-api.ts';
import type { Terminal } from './terminal/terminal.ts';

type RunPlan = Awaited<ReturnType<AppApi['planRun']>>;

/** What is to be said before a run starts, on standard error: findings about its configuration, and that errors among them were let pass. */
export async function printFindings(terminal: Terminal, { diagnostics, settings, warnings }: RunPlan): Promise<void> {
  if (!settings.strictValidation) terminal.err(`${terminal.errStyle('warning', BYPASSED)}\n`);
  printWarnings(terminal, warnings);
  if (diagnostics.length === 0) return;
  const { renderDiagnostics } = await import('../config/index.ts');
  terminal.err(`${renderDiagnostics(diagnostics, { color: terminal.errStyle('heading', 'x') !== 'x' })}\n\n`);
}

/** What is also said before a run goes on, on standard error. */
export function printWarnings(terminal: Terminal, warnings: readonly string[]): void {
  for (const warning of warnings) terminal.err(`${terminal.errStyle('warning', 'WARN')}: ${warning}\n`);
}

const BYPASSED = [
  'WARN: Hat collection validation bypassed (strict_validation: false).',
  '      Errors downgraded to warnings. This may cause undefined behavior.',
].join('\n');
