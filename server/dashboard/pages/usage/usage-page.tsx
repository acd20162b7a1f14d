import type { DailyUsage, SubscriptionReport } from '@memory-service/sdk';
import type { ComponentChildren } from 'preact';
import { usePlace, useRead, useWrite } from '../../data/organization.js';
import { useQueryParam } from '../../kit/browser/query-param.js';
import { Button, ButtonLink } from '../../kit/controls/button.js';
import { Select } from '../../kit/controls/field.js';
import { Badge } from '../../kit/display/badge.js';
import { Card, CardGrid } from '../../kit/display/card.js';
import { PageHeader } from '../../kit/display/page-header.js';
import { Plot } from '../../kit/display/plot.js';
import { Time } from '../../kit/display/time.js';
import { DataState, EmptyState } from '../../kit/feedback/data-state.js';
import { FailureNotice } from '../../kit/feedback/failure-notice.js';
import { numberText } from '../../kit/text/number-text.js';
import { bytes } from '../../kit/usage/bytes.js';
import { UsageMeters } from '../../kit/usage/usage-meters.js';
import styles from './usage-page.module.css';

type Plan = NonNullable<SubscriptionReport['plan']>;
type Subscription = NonNullable<SubscriptionReport['subscription']>;

const SPANS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
];
const DEFAULT_SPAN = '90';

export function UsagePage() {
  const { can } = usePlace();
  return (
    <>
      <PageHeader title="Usage" description="What the organization uses of its plan, and how it is paid." />
      <div class={styles.page}>
        <CardGrid>
          <CurrentUsage />
          {can('getSubscription') && <SubscriptionCard />}
        </CardGrid>
        {can('listDailyUsage') && <DailyUsageCard />}
      </div>
    </>
  );
}

function CurrentUsage() {
  const usage = useRead(['usage'], (client, options) => client.usage.get(options));
  return (
    <Card title="This period">
      <DataState query={usage}>{(report) => <UsageMeters usage={report} />}</DataState>
    </Card>
  );
}

function SubscriptionCard() {
  const { can } = usePlace();
  const subscription = useRead(['subscription'], (client, options) => client.subscription.get(options));
  return (
    <Card
      title="Subscription"
      aside={
        subscription.data && (
          <Badge tone={subscription.data.entitled ? 'success' : 'danger'}>
            {subscription.data.entitled ? 'Writes allowed' : 'Writes refused'}
          </Badge>
        )
      }
    >
      <DataState query={subscription}>{(report) => <SubscriptionFacts report={report} />}</DataState>
      {can('createBillingPortalLink') && subscription.data?.portal && <PortalButton />}
    </Card>
  );
}

/** Leaves for the customer portal of the billing provider, which leads back here. */
function PortalButton() {
  const link = useWrite((client) => client.subscription.createPortalLink(), {
    subjects: [],
    onDone: ({ url }) => window.location.assign(url),
  });
  return (
    <div class={styles.portal}>
      {link.error && <FailureNotice error={link.error} />}
      <Button busy={link.isPending} onClick={() => link.mutate()}>
        Manage billing
      </Button>
      <p class={styles.note}>Payment method, invoices and plan, at the billing provider.</p>
    </div>
  );
}

function SubscriptionFacts({ report: { enforced, subscription, plan } }: { report: SubscriptionReport }) {
  return (
    <>
      {!subscription && (
        <p class={styles.note}>
          {enforced
            ? 'There is no subscription. Writes need one; reads go on.'
            : 'There is no subscription. This deployment needs none.'}
        </p>
      )}
      <dl class={styles.facts}>
        {plan && <PlanFacts plan={plan} />}
        {subscription && <Payment subscription={subscription} />}
      </dl>
    </>
  );
}

function PlanFacts({ plan }: { plan: Plan }) {
  return (
    <>
      <Fact name="Plan">
        <bdi>{plan.name}</bdi>
      </Fact>
      <Fact name="Stored in a period">{capOf(plan.ingestPerMonth, numberText)}</Fact>
      <Fact name="Searches in a period">{capOf(plan.searchPerMonth, numberText)}</Fact>
      {plan.storageBytes !== undefined && <Fact name="Storage">{capOf(plan.storageBytes, bytes)}</Fact>}
    </>
  );
}

function Payment({ subscription }: { subscription: Subscription }) {
  const { status, periodEndsAt, trialEndsAt, cancelAtPeriodEnd, id } = subscription;
  return (
    <>
      <Fact name="Status">{status}</Fact>
      {trialEndsAt && (
        <Fact name="Trial ends">
          <Time value={trialEndsAt} absolute />
        </Fact>
      )}
      {periodEndsAt && (
        <Fact name={cancelAtPeriodEnd ? 'Ends' : 'Next payment'}>
          <Time value={periodEndsAt} absolute />
        </Fact>
      )}
      <Fact name="Id">
        <code>{id}</code>
      </Fact>
    </>
  );
}

function DailyUsageCard() {
  const { can, href } = usePlace();
  const [chosen, setSpan] = useQueryParam('days', DEFAULT_SPAN);
  const span = SPANS.find(({ value }) => value === chosen)?.value ?? DEFAULT_SPAN;
  const daily = useRead(['usage', 'days', span], (client, options) =>
    client.usage.days({ limit: Number(span) }, options),
  );
  const isUnused = ({ days }: { days: DailyUsage[] }) =>
    days.every(({ stored, merged, replayed, searched }) => stored + merged + replayed + searched === 0);
  const start = can('searchMemories') && <ButtonLink href={href('/search')}>Search</ButtonLink>;
  return (
    <Card
      title="By day"
      aside={
        <div>
          <Select
            aria-label="Days"
            options={SPANS}
            value={span}
            onChange={({ currentTarget }) => setSpan(currentTarget.value)}
          />
        </div>
      }
    >
      <DataState
        query={daily}
        empty={{ when: isUnused, show: <EmptyState title="No usage in these days" action={start} /> }}
      >
        {({ days }) => <DailyPlots days={days} />}
      </DataState>
    </Card>
  );
}

function DailyPlots({ days }: { days: readonly DailyUsage[] }) {
  const labels = days.map(({ day }) => day.slice(5));
  const series = (name: string, key: 'stored' | 'merged' | 'replayed' | 'searched') => ({
    name,
    values: days.map((day) => day[key]),
  });
  return (
    <div class={styles.plots}>
      <section>
        <h3>Writes</h3>
        <Plot
          title="Writes by day, in UTC"
          kind="bars"
          labels={labels}
          series={[series('stored', 'stored'), series('merged', 'merged'), series('without a change', 'replayed')]}
          format={numberText}
        />
      </section>
      <section>
        <h3>Searches</h3>
        <Plot
          title="Searches by day, in UTC"
          kind="bars"
          labels={labels}
          series={[series('searches', 'searched')]}
          format={numberText}
        />
      </section>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function capOf(cap: number | null, format: (value: number) => string): string {
  return cap === null ? 'no cap' : `at most ${format(cap)}`;
}
