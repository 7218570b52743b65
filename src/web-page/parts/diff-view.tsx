import { type PatchFile, parsePatch } from '../data/patch.ts';
import { toBytesText } from './words.ts';

/** More of a file, or more files, are not opened by themselves. */
const OPEN_BYTES = 60_000;
const OPEN_FILES = 12;
/** More lines of a file are not shown. */
const MAX_LINES = 4000;
/** Nobody reads them. */
const GENERATED = /(?:^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|go\.sum|poetry\.lock)$|\.min\.(?:js|css)$|\.map$/;

/** A patch, file by file. */
export function DiffView({ patch }: { readonly patch: string }) {
  const files = parsePatch(patch);
  if (files.length === 0) return <p class="faint">No files changed.</p>;
  return (
    <div class="diff">
      {files.map((file, place) => (
        <details key={file.path} open={place < OPEN_FILES && file.bytes <= OPEN_BYTES && !GENERATED.test(file.path)}>
          <summary>
            <code>{file.path}</code> <span class="added">+{file.added}</span> <span class="removed">−{file.removed}</span>
            {GENERATED.test(file.path) && <span class="faint"> generated</span>}
            {file.bytes > OPEN_BYTES && <span class="faint"> {toBytesText(file.bytes)}</span>}
          </summary>
          <PatchLines file={file} />
        </details>
      ))}
    </div>
  );
}

function PatchLines({ file }: { readonly file: PatchFile }) {
  const shown = file.lines.slice(0, MAX_LINES);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label={`changes of ${file.path}`}>
      <pre>
        {shown.map((line, index) => (
          <span key={index} class={toLineClass(line)}>
            {line}
            {'\n'}
          </span>
        ))}
        {file.lines.length > MAX_LINES && <span class="faint">and {file.lines.length - MAX_LINES} lines more</span>}
      </pre>
    </section>
  );
}

function toLineClass(line: string): string {
  if (line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return '';
}
