/** Front door of `drawing`: flow graphs laid out in two dimensions. */
export { drawSvg } from './draw-svg.ts';
export { drawUnicode } from './draw-unicode.ts';
