/** Writes a duration in the two largest units that it has, such as `1 h 5 min`. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  return minutes > 0 ? `${minutes} min${seconds % 60 > 0 ? ` ${seconds % 60} s` : ''}` : `${seconds} s`
}
