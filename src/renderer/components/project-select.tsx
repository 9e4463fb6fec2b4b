import { z } from 'zod'
import { project } from '../../shared/contract/fields.ts'
import { filters } from '../lib/filters.ts'
import { PROJECT } from '../lib/project-filter.ts'
import { FilterBar } from './filters.tsx'

interface ProjectSelectProps {
  readonly value: string | undefined
  readonly onChange: (project: string | undefined) => void
}

const BY_PROJECT = filters({ input: z.object({ project }) }, [PROJECT])

/** Filters a view by project. */
export const ProjectSelect = ({ value, onChange }: ProjectSelectProps) => (
  <FilterBar filters={BY_PROJECT} state={{ project: value }} onChange={({ project }) => onChange(project)} />
)
