/** The server of the plugin's tools, as a rule of `permissions.allow` or of `--allowedTools` names it. */
export const RECALL_RULE = 'mcp__plugin_aspy_aspy'
