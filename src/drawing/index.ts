/** Front door of `drawing`: flow graphs laid out in two dimensions. lay-out, char-grid <- draw-svg, draw-unicode */
export { drawSvg, toGraphPicture } from './draw-svg.ts';
export { drawUnicode } from './draw-unicode.ts';
