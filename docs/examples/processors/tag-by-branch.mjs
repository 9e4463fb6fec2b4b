/**
 * Tags every event of a session with the git branch that the session works on: `tags: ["branch:main"]` in its payload,
 * and in the session's log. Options: `ignore`, a list of branches that get no tag.
 *
 * @type {import('../../../resources/processor.d.ts').Processor}
 */
export default {
  name: 'tag-by-branch',
  process(event, { sessionId, config, logger }) {
    const ignored = Array.isArray(config['ignore']) ? config['ignore'].map(String) : []
    if ((event.kind === 'session_started' || event.kind === 'user_prompt') && event.payload.git_branch) {
      if (branches.get(sessionId) !== event.payload.git_branch) {
        logger.info(`session ${sessionId} works on ${event.payload.git_branch}`)
      }
      remember(sessionId, event.payload.git_branch)
    }
    const branch = branches.get(sessionId)
    if (branch === undefined || ignored.includes(branch)) return event
    // Events are frozen: a changed one is a new one.
    const payload = { ...event.payload, tags: [`branch:${branch}`] }
    return /** @type {typeof event} */ ({ ...event, payload })
  },
}

/** @type {Map<string, string>} */
const branches = new Map()

/** A processor runs for weeks: what it remembers has a bound.
 *
 * @param {string} sessionId
 * @param {string} branch
 */
function remember(sessionId, branch) {
  branches.delete(sessionId)
  branches.set(sessionId, branch)
  const oldest = branches.keys().next().value
  if (branches.size > 1000 && oldest !== undefined) branches.delete(oldest)
}
