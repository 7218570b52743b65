/** The tools of Ralph's own MCP server that need no command of the configuration; `emit_event` is always offered. */
export const SERVER_TOOLS = ['emit_event', 'ask_person', 'list_hats', 'read_events'] as const;

/** What it offers an agent of a panel instead, in its round. */
export const HAND_IN_TOOLS = ['new_answer', 'vote'] as const;

/** One of them, as it is called whatever a CLI puts before the name. */
export type ServerTool = (typeof SERVER_TOOLS)[number];

/** As `ServerTool`, for a round of a panel. */
export type HandInTool = (typeof HAND_IN_TOOLS)[number];
