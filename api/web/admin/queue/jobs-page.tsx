import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { usePages } from '../../lib/query.tsx'
import { ListChecks } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classes } from '../../ui/classes.ts'
import { Field, TextInput } from '../../ui/field.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { type JobView, jobViews, jobViewWords } from './job-views.ts'
import { JobsTable } from './jobs-table.tsx'

const everyMs = 5_000
/** The largest number of loaded pages that are polled. A longer list is not read again automatically. */
const polledPages = 2

export function JobsPage() {
  const [search] = useSearchParams()
  const view = jobViews.find(name => name === search.get('view')) ?? 'due'
  const tenantId = search.get('tenant') ?? ''
  const [long, setLong] = useState(false)
  const jobs = usePages(
    'list_jobs',
    { query: { view, limit: '50', ...(tenantId === '' ? {} : { tenant_id: tenantId }) } },
    { every: long ? false : everyMs },
  )
  const pages = jobs.data?.pages.length ?? 0
  if (pages > polledPages !== long) setLong(pages > polledPages)
  return (
    <Page title="Jobs" lead="Executions that are not done, oldest action first, and those that failed.">
      <ViewLinks view={view} tenantId={tenantId} />
      <TenantFilter tenantId={tenantId} view={view} />
      <Card title={jobViewWords[view].title} hint={jobViewWords[view].hint} padded={false}>
        <Reading query={jobs} rows={8}>
          {({ pages: read }) => {
            const rows = read.flatMap(page => page.jobs)
            if (rows.length === 0) return <Empty icon={ListChecks} title={jobViewWords[view].none} />
            return <JobsTable rows={rows} view={view} />
          }}
        </Reading>
        <LoadMore pages={jobs} what="jobs" />
      </Card>
    </Page>
  )
}

function ViewLinks({ view, tenantId }: { view: JobView; tenantId: string }) {
  return (
    <nav aria-label="Views" className="mb-4 flex gap-1 overflow-x-auto border-b border-line">
      {jobViews.map(name => (
        <Link
          key={name}
          to={{ search: searchOf(name, tenantId) }}
          aria-current={name === view ? 'page' : undefined}
          className={classes(
            '-mb-px border-b-2 px-3 py-2 font-medium whitespace-nowrap hover:text-ink',
            name === view ? 'border-accent text-ink' : 'border-transparent text-soft',
          )}
        >
          {jobViewWords[name].title}
        </Link>
      ))}
    </nav>
  )
}

function TenantFilter({ tenantId, view }: { tenantId: string; view: JobView }) {
  const [, setSearch] = useSearchParams()
  const [text, setText] = useState<string | null>(null)
  const show = (shown: string): void => {
    setSearch(searchOf(view, shown))
    setText(null)
  }
  return (
    <form
      className="mb-4 flex flex-wrap items-end gap-2"
      onSubmit={event => {
        event.preventDefault()
        show((text ?? tenantId).trim())
      }}
    >
      <Field label="Only of tenant" className="w-full sm:w-72">
        <TextInput
          value={text ?? tenantId}
          onChange={event => setText(event.currentTarget.value)}
          placeholder="All tenants"
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
      <Button type="submit">Show</Button>
      {tenantId !== '' && (
        <Button variant="quiet" onClick={() => show('')}>
          All tenants
        </Button>
      )}
    </form>
  )
}

function searchOf(view: JobView, tenantId: string): string {
  return new URLSearchParams({ view, ...(tenantId === '' ? {} : { tenant: tenantId }) }).toString()
}
