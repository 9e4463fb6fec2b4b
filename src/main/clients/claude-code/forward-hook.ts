import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldsOf, findApp, send } from './ask-app.ts'

/** The way of a command hook: a client waits for it, and it is started anew each time. */

interface HookPass {
  /** What the client wrote to the hook's stdin. */
  readonly body: string
  readonly dataDir: string
  readonly signal: AbortSignal
}

/**
 * Posts a hook of Claude Code to the running app. Resolves with what the hook prints: where a session goes on after a
 * compaction, a pointer for its model; else nothing. Where no app runs nothing happens. Rejects when the app does not
 * answer as it should, or when `signal` aborts.
 */
export async function forwardHook({ body, dataDir, signal }: HookPass): Promise<string> {
  const app = await findApp(dataDir, signal)
  if (app === null) return ''
  const { port } = app
  const { hook_event_name: event, session_id, source: start } = fieldsOf(body)
  const key = (name: string) => readFileSync(join(dataDir, name), 'utf8').trim()
  const posted = send({ port, path: '/api/hooks', key: key('hooks'), body, signal })
  if (event !== 'SessionStart' || (start !== 'compact' && start !== 'resume')) {
    await posted
    return ''
  }
  const asked = JSON.stringify({ session_id, start })
  const [, answer] = await Promise.all([
    posted,
    send({ port, path: '/api/notices.session_start', key: key('token'), body: asked, signal }),
  ])
  const { text } = fieldsOf(answer)
  if (typeof text !== 'string' || text === '') return ''
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } })}\n`
}
