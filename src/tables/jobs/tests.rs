use std::collections::HashSet;
use std::sync::mpsc;

use tokio::task::yield_now;

use super::*;
use crate::games::Registry;
use crate::store::sqlite::SqliteStore;
use crate::tables::Service;
use crate::tables::settings::ServiceSettings;

const LIMITED: [JobKind; 3] = [JobKind::PictureOrUpload, JobKind::Review, JobKind::Film];

fn service() -> Service {
    let settings = ServiceSettings {
        compute_threads: 1,
        ..ServiceSettings::default()
    };
    Service::new(
        Registry::builtin(),
        Arc::new(SqliteStore::in_memory()),
        settings,
    )
}

fn network(number: u8) -> ClientNetwork {
    ClientNetwork::from_ip([192, 0, 2, number].into())
}

fn payer(client_network: Option<ClientNetwork>) -> ComputeAccount {
    ComputeAccount {
        client_network,
        creator: None,
    }
}

/// The number of jobs in progress, in total and of a network.
fn in_progress(jobs: &Jobs, kind: JobKind, network: ClientNetwork) -> (usize, usize) {
    jobs.pools.lock().get(&kind).map_or((0, 0), |pool| {
        let own = pool.by_network.get(&Some(network));
        (pool.in_progress, own.copied().unwrap_or(0))
    })
}

#[tokio::test]
async fn jobs_are_bounded_in_total_and_per_network() {
    let service = service();
    let jobs = &service.shared.jobs;
    for kind in LIMITED {
        let admitted: Vec<Job> = (0..=u8::MAX)
            .flat_map(|number| {
                let own =
                    (0..100).map_while(|_| jobs.admit(kind, payer(Some(network(number)))).ok());
                let own: Vec<Job> = own.collect();
                assert!(own.len() <= kind.limits().per_network);
                own
            })
            .collect();
        let limits = kind.limits();
        assert_eq!(
            in_progress(jobs, kind, network(0)),
            (limits.in_progress, limits.per_network)
        );
        assert_eq!(admitted.len(), limits.in_progress);
        drop(admitted);
        assert_eq!(in_progress(jobs, kind, network(0)), (0, 0));
        assert!(jobs.pools.lock()[&kind].by_network.is_empty());
    }
    for _ in 0..4 {
        std::mem::forget(
            jobs.admit(JobKind::PositionQuery, payer(Some(network(0))))
                .ok(),
        );
    }
    let rejected = jobs.admit(JobKind::PositionQuery, payer(Some(network(0))));
    assert!(matches!(rejected, Err(ServiceError::TooManyConcurrent)));
}

#[tokio::test]
async fn clients_of_unknown_networks_share_no_quota() {
    let service = service();
    let unspecified = ClientNetwork::from_ip(std::net::Ipv6Addr::UNSPECIFIED.into());
    for (kind, unknown) in LIMITED.into_iter().zip([None, Some(unspecified), None]) {
        let admit = |_| service.shared.jobs.admit(kind, payer(unknown)).ok();
        let admitted: Vec<Job> = (0..100).map_while(admit).collect();
        assert_eq!(admitted.len(), kind.limits().in_progress);
    }
}

#[tokio::test]
async fn requests_with_one_key_share_a_job() {
    let service = service();
    let shared = SharedJobs::<u32, u32>::new(&service.shared.jobs, JobKind::Film);
    let (release, released) = watch::channel(false);
    let long = Duration::from_secs(60);
    let request = |key: u32, timeout: Duration| {
        let (shared, mut released) = (Arc::clone(&shared), released.clone());
        let work = move |job: SharedJob<u32, u32>| async move {
            let _ = released.wait_for(|released| *released).await;
            let (result, _) = job
                .compute(ComputeDemand::time(long), move |_| Some(key))
                .await?;
            job.report(1);
            job.finish(result);
            Ok(())
        };
        async move { shared.run(&key, 2, payer(None), timeout, work).await }
    };
    // Requests that are dropped leave their jobs in progress.
    for key in [1, 1, 2, 3, 4, 1] {
        let status = request(key, Duration::ZERO).await;
        assert!(matches!(
            status,
            Ok(JobStatus::InProgress(JobProgress { done: 0, of: 2 }))
        ));
    }
    assert_eq!(shared.by_key.lock().len(), 4);
    let slots = Arc::clone(&service.shared.jobs.pools.lock()[&JobKind::Film].slots);
    while slots.available_permits() > 0 {
        yield_now().await;
    }
    let waiting: Vec<_> = (1..=4)
        .map(|key| tokio::spawn(request(key, long)))
        .collect();
    yield_now().await;
    release.send_replace(true);
    let mut results = HashSet::new();
    for task in waiting {
        let Ok(JobStatus::Ready(result)) = task.await.unwrap() else {
            panic!("a job has no result");
        };
        results.insert(result);
    }
    assert_eq!(results, HashSet::from([1, 2, 3, 4]));
    assert!(shared.status(&1).is_none());
}

#[tokio::test]
async fn a_job_without_a_result_is_unavailable() {
    let service = service();
    let shared = SharedJobs::<u32, u32>::new(&service.shared.jobs, JobKind::Review);
    let demand = ComputeDemand::time(Duration::ZERO);
    let work = move |job: SharedJob<u32, u32>| async move {
        job.compute(demand, |_| None::<()>).await.map(drop)
    };
    let failed = shared
        .run(&1, 1, payer(None), Duration::from_secs(60), work)
        .await;
    assert!(matches!(failed, Err(ServiceError::Unavailable)));
    assert!(shared.status(&1).is_none());
}

#[tokio::test]
async fn one_network_leaves_capacity_for_others() {
    let service = service();
    let (kind, demand) = (
        JobKind::PictureOrUpload,
        ComputeDemand::time(Duration::from_secs(1)),
    );
    let max = kind.limits().per_network;
    let of = |number| in_progress(&service.shared.jobs, kind, network(number)).1;
    let (release, blocked) = mpsc::channel::<()>();
    let blocked = Arc::new(Mutex::new(blocked));
    let mut waiting = Vec::new();
    for _ in 0..max {
        let (service, blocked) = (service.clone(), Arc::clone(&blocked));
        let work = move |_: &StopToken| blocked.lock().recv().unwrap();
        let request = async move { service.run_job(kind, network(1), demand, work).await };
        waiting.push(tokio::spawn(request));
    }
    while of(1) != max {
        yield_now().await;
    }
    let rejected = service.run_job(kind, network(1), demand, |_| ()).await;
    assert!(matches!(rejected, Err(ServiceError::Busy)));
    // The work of a dropped request counts until it has ended.
    waiting.remove(0).abort();
    // Another network's work runs right after the work that has started.
    let other = service.clone();
    let other = tokio::spawn(async move { other.run_job(kind, network(2), demand, |_| ()).await });
    while of(2) == 0 {
        yield_now().await;
    }
    assert_eq!(of(1), max);
    release.send(()).unwrap();
    assert!(other.await.unwrap().is_ok());
    assert!(!waiting.iter().all(tokio::task::JoinHandle::is_finished));
    for _ in 1..max {
        release.send(()).unwrap();
    }
    for task in waiting {
        assert!(task.await.unwrap().is_ok());
    }
    assert_eq!((of(1), of(2)), (0, 0));
}
