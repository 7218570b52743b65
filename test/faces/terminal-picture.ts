/** What stands in a terminal of tmux, as a page that a browser can take a picture of. */

/** The terminal's own colours, as most have them on a dark ground. */
const COLOURS: Readonly<Record<number, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b949e',
};
const FRONT = '#d4d8de';
const GROUND = '#0d1117';
const ROW_PX = 17.5;
const COLUMN_PX = 8.43;
const PADDING_PX = 14;

const SGR = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`);

interface Style {
  readonly colour: string;
  readonly isBold: boolean;
  readonly isFaint: boolean;
  readonly isReverse: boolean;
}

const PLAIN: Style = { colour: '', isBold: false, isFaint: false, isReverse: false };

/** The screen without its colours. */
export function toScreenText(screen: string): string {
  return screen
    .split(SGR)
    .filter((_, index) => index % 2 === 0)
    .join('');
}

/**
 * @param screen as `tmux capture-pane -e -p` says it
 * @returns a page with one `pre`, whose size depends on the size of the terminal alone, whatever fonts there are
 */
export function toTerminalPage(screen: string, { columns, rows }: { readonly columns: number; readonly rows: number }): string {
  const size = `width:${Math.ceil(columns * COLUMN_PX)}px;height:${rows * ROW_PX}px;padding:${PADDING_PX}px`;
  const font = `font:14px/${ROW_PX}px 'DejaVu Sans Mono',monospace`;
  const look = `margin:0;display:inline-block;overflow:hidden;background:${GROUND};color:${FRONT}`;
  return `<body style="margin:0;background:${GROUND}"><pre style="${look};${size};${font}">${toSpans(screen)}</pre>`;
}

function toSpans(screen: string): string {
  let style = PLAIN;
  const spans = screen.split(SGR).map((part, index) => {
    if (index % 2 === 0) return part === '' ? '' : `<span style="${toCss(style)}">${escapeHtml(part)}</span>`;
    style = part.split(';').map(Number).reduce(applyCode, style);
    return '';
  });
  return spans.join('');
}

function applyCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isFaint: true };
  if (code === 7) return { ...style, isReverse: true };
  if (code === 22) return { ...style, isBold: false, isFaint: false };
  if (code === 27) return { ...style, isReverse: false };
  if (code === 39) return { ...style, colour: '' };
  // The bright ones are drawn as the others.
  return { ...style, colour: COLOURS[code] ?? COLOURS[code - 60] ?? style.colour };
}

function toCss({ colour, isBold, isFaint, isReverse }: Style): string {
  const [front, ground] = isReverse ? [GROUND, colour || FRONT] : [colour || FRONT, 'transparent'];
  return `color:${front};background:${ground};${isBold ? 'font-weight:bold;' : ''}${isFaint ? 'opacity:.7;' : ''}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
