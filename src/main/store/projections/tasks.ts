import type { Projection } from './projection.ts'

/** Each agent's task list in its current state. */
export const tasks: Projection = {
  name: 'tasks',
  open({ prepare, tables: t }) {
    // An update may name only what changed. Older history that arrives later adds a task's subject, but not its status.
    const upsert = prepare(
      `INSERT INTO ${t.tasks} (session_id, agent_id, task_id, subject, status, created_at, updated_at, event_uuid)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (session_id, agent_id, task_id) DO UPDATE SET
         subject = CASE WHEN excluded.subject = '' THEN subject WHEN subject = '' OR excluded.updated_at >= updated_at THEN excluded.subject ELSE subject END,
         status = CASE WHEN excluded.status = '' THEN status WHEN status = '' OR excluded.updated_at >= updated_at THEN excluded.status ELSE status END,
         event_uuid = CASE WHEN excluded.updated_at >= updated_at THEN excluded.event_uuid ELSE event_uuid END,
         created_at = min(created_at, excluded.created_at),
         updated_at = max(updated_at, excluded.updated_at)`,
    )
    return {
      apply(event) {
        if (event.kind !== 'task_update') return
        const { session_id, agent_id, ts_wall, uuid, payload } = event
        for (const task of payload.tasks)
          upsert.run(session_id, agent_id ?? '', task.id, task.subject, task.status, ts_wall, ts_wall, uuid)
      },
    }
  },
}
