/** The tools of Ralph's own MCP server that need no command of the configuration; `emit_event` is always offered. */
export const SERVER_TOOLS = ['emit_event', 'ask_person', 'list_hats', 'read_events'] as const;

/** One of them, as it is called whatever a CLI puts before the name. */
export type ServerTool = (typeof SERVER_TOOLS)[number];
