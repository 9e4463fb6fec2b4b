import type { Random } from '../../../src/main/base/fixtures/random.ts'
import type { Line, SessionWriter } from './session-writer.ts'
import { TASKS } from './follow-ups.ts'
import { ADJECTIVES, NOUNS, VERBS } from './vocabulary.ts'

/** A task in a session's list. */
export interface DemoTask {
  readonly id: string
  readonly subject: string
  status: string
}

/** Writes a request that the upstream refuses. The next request retries it. */
export function failOnce(writer: SessionWriter, random: Random, line: Line): void {
  const error = random.pick([
    { type: 'overloaded_error', message: 'Overloaded', status: 529, retryAfterS: null },
    { type: 'rate_limit_error', message: 'This request would exceed your rate limit.', status: 429, retryAfterS: 12 },
    { type: 'api_error', message: 'Internal server error', status: 500, retryAfterS: null },
  ])
  writer.failure(line, error)
}

/** Advances some tasks, adds one and writes the list. `isTold`: tasks of any work, instead of made-up ones. */
export function updateTasks(
  writer: SessionWriter,
  random: Random,
  line: Line,
  tasks: DemoTask[],
  isTold: boolean,
): void {
  for (const task of tasks) {
    if (task.status === 'in_progress') task.status = 'completed'
    else if (task.status === 'pending' && random.chance(0.5)) task.status = 'in_progress'
  }
  const told = isTold ? TASKS[tasks.length % TASKS.length] : undefined
  const subject = told ?? `${random.pick(VERBS)} the ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`
  tasks.push({ id: String(tasks.length + 1), subject, status: 'pending' })
  writer.add('task_update', { tasks: tasks.slice(-8).map((task) => ({ ...task })) }, { parents: line.tail })
}
