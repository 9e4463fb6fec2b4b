import { RECALL_RULE } from '../../../shared/recall-tools.ts'

/** The rule, which setup leaves to the person, one of its tools, or all of MCP. */
const ALLOWING = new RegExp(`^(?:${RECALL_RULE}(?:__.+|\\(.*\\))?|mcp__\\*.*)$`)

/** Says when Claude asks before it searches, and what runs that cannot ask need. */
export const PERMISSION = `Claude asks whether it may search, in some modes each time. To allow it for good, also in runs that cannot ask, such as claude -p or agents in the background, put "${RECALL_RULE}" into permissions.allow of Claude Code's settings.json.`

/** Returns whether a list of rules allows all or one of our tools. */
export const allowsSearch = (rules: unknown): boolean =>
  Array.isArray(rules) && rules.some((rule) => typeof rule === 'string' && ALLOWING.test(rule))
