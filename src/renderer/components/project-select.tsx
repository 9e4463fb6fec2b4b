import { projectName } from '../lib/format.ts'
import { useProjects } from '../lib/use-projects.ts'
import { Select } from './select.tsx'

interface ProjectSelectProps {
  readonly value: string | undefined
  readonly onChange: (project: string | undefined) => void
}

/** Filters a view by project. */
export function ProjectSelect({ value, onChange }: ProjectSelectProps) {
  const projects = useProjects()
  const known = value === undefined || projects.includes(value) ? projects : [value, ...projects]
  return (
    <Select
      label="Project"
      value={value ?? ''}
      onChange={(project) => onChange(project === '' ? undefined : project)}
      options={[['', 'All projects'], ...known.map((path) => [path, projectName(path)] as const)]}
    />
  )
}
