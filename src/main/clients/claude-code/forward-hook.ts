import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldsOf, findApp, send } from './ask-app.ts'

/** Forwards command hooks. A new process starts for each hook, and the client waits for it. */

interface ForwardedHook {
  /** The JSON that the client wrote to the hook's stdin. */
  readonly body: string
  readonly dataDir: string
  readonly signal: AbortSignal
}

/**
 * Posts a Claude Code hook to the running app; does nothing if no app is running. Resolves with the hook's output: a
 * notice for the model if the session continues after a compaction, else ''. Rejects if the app fails or `signal` aborts.
 */
export async function forwardHook({ body, dataDir, signal }: ForwardedHook): Promise<string> {
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
  const input = JSON.stringify({ session_id, start })
  const [, answer] = await Promise.all([
    posted,
    send({ port, path: '/api/notices.session_start', key: key('token'), body: input, signal }),
  ])
  const { text } = fieldsOf(answer)
  if (typeof text !== 'string' || text === '') return ''
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } })}\n`
}
