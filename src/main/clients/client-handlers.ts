import type { MainHandlers } from '../dispatch/handlers.ts'
import type { createSetupInApp } from './claude-code/setup/setup-in-app.ts'

/** The operations of single clients. */
export type ClientHandlers = Pick<
  MainHandlers,
  | 'claude_code.status'
  | 'claude_code.set_up'
  | 'claude_code.set_command'
  | 'claude_code.undo'
  | 'claude_code.connection'
>

/** Returns the handlers of the operations that concern one client. */
export function createClientHandlers(claudeCode: ReturnType<typeof createSetupInApp>): ClientHandlers {
  return {
    'claude_code.status': claudeCode.status,
    'claude_code.set_up': ({ thinking }) => claudeCode.setUp(thinking),
    'claude_code.set_command': ({ on_path }) => claudeCode.setCommand(on_path),
    'claude_code.undo': claudeCode.undo,
    'claude_code.connection': claudeCode.connection,
  }
}
