import { valuesOf } from './filters.ts'
import { projectName } from './format.ts'

/** The control that filters a list by the projects of the newest sessions. */
export const PROJECT = {
  field: 'project',
  label: 'Project',
  all: 'All projects',
  values: valuesOf('sessions.list', { limit: 200 }, ({ items }) =>
    [...new Set(items.flatMap(({ project }) => project ?? []))].sort(),
  ),
  name: projectName,
  least: 0,
} as const
