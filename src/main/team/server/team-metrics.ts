import type { Room } from './room.ts'
import type { TeamHealth } from './team-health.ts'

/** Counts of one server since its start. */
export interface TeamCounts {
  batches: number
  /** Events stored, new or replaced. */
  events: number
  /** Batches that were not stored. */
  refused: number
  reads: number
}

/** Returns the page for Prometheus. It contains only counts, no recorded data. */
export function metricsText(
  counts: TeamCounts,
  { batches, reads }: { readonly batches: Room; readonly reads: Room },
  health: TeamHealth,
): string {
  const lines = [
    ['aspy_team_batches_total', 'counter', 'Batches stored.', counts.batches],
    ['aspy_team_events_total', 'counter', 'Events stored, new or replaced.', counts.events],
    ['aspy_team_batches_refused_total', 'counter', 'Batches that were not stored.', counts.refused],
    ['aspy_team_batches_shed_total', 'counter', 'Batches refused for lack of room.', batches.refused],
    ['aspy_team_batch_seconds_total', 'counter', 'Time spent on batches.', batches.seconds],
    ['aspy_team_batches_running', 'gauge', 'Batches that are being stored.', batches.taken],
    ['aspy_team_reads_total', 'counter', 'Reading operations.', counts.reads],
    ['aspy_team_reads_shed_total', 'counter', 'Reading operations refused for lack of room.', reads.refused],
    ['aspy_team_read_seconds_total', 'counter', 'Time spent on reading operations.', reads.seconds],
    ['aspy_team_reads_running', 'gauge', 'Reading operations that are running.', reads.taken],
    ['aspy_team_partition_days', 'gauge', 'Days until partitions end.', health.partition_days],
    ['aspy_team_misplaced_events', 'gauge', 'Events in the default partition.', health.misplaced_events],
    ['aspy_team_up', 'gauge', '1 if the store has no warning.', Number(health.status === 'ok')],
  ] as const
  return lines
    .map(([name, type, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`)
    .join('')
}
