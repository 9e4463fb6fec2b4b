import { PROJECT } from '../lib/project-filter.ts'
import { FilterBar } from './filters.tsx'

interface ProjectSelectProps {
  readonly value: string | undefined
  readonly onChange: (project: string | undefined) => void
}

/** Filters a view by project. */
export function ProjectSelect({ value, onChange }: ProjectSelectProps) {
  return <FilterBar controls={[PROJECT]} state={{ project: value }} onChange={({ project }) => onChange(project)} />
}
