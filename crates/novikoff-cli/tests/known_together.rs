//! Rows of the same customers, whom several columns tell together and none alone. Beside them are sound tables without the remark.

use std::fmt::Write as _;

use crate::common;

use common::Room;
use common::data::SplitMix64;
use common::remarks::said;

/// What customers are like.
#[derive(Clone, Copy)]
struct Customers {
    number: usize,
    /// Rows of a customer; 1: nobody comes twice.
    rows_each: usize,
    /// One cell in this many is empty.
    empty: usize,
    is_quantity: bool,
}

impl Customers {
    const MANY: Self = Customers {
        number: 300,
        rows_each: 7,
        empty: 14,
        is_quantity: false,
    };

    /// A table whose rows come in random order.
    fn csv(self, seed: u64) -> String {
        let mut random = SplitMix64(seed);
        let mut rows = Vec::new();
        for _ in 0..self.number {
            let (year, month, day) = (
                2021 + random.below(3),
                1 + random.below(12),
                1 + random.below(28),
            );
            let plan = ["basic", "plus", "pro"][random.below(3)];
            let country = ["de", "es", "fr", "it", "pl", "se"][random.below(6)];
            let is_yes = random.below(10) < 3;
            let worth = 100.0 * random.uniform();
            for _ in 0..self.rows_each {
                let usage = 20.0 + 10.0 * random.uniform() + if is_yes { 2.0 } else { 0.0 };
                let calls = random.below(12);
                let mut cell = |text: &str| {
                    let is_empty = random.below(self.empty) == 0;
                    if is_empty {
                        String::new()
                    } else {
                        text.to_owned()
                    }
                };
                let (joined, plan, country) = (
                    cell(&format!("{year}-{month:02}-{day:02}")),
                    cell(plan),
                    cell(country),
                );
                let label = if self.is_quantity {
                    format!("{:.2}", worth + random.uniform())
                } else {
                    ["no", "yes"][usize::from(is_yes)].to_owned()
                };
                rows.push(format!(
                    "{usage:.1},{calls},{joined},{plan},{country},{label}\n"
                ));
            }
        }
        let order = SplitMix64(seed + 1).order(rows.len());
        let rows: String = order.into_iter().map(|place| &*rows[place]).collect();
        format!("usage,calls,joined,plan,country,label\n{rows}")
    }
}

fn groups(csv: String, job: &str) -> Vec<String> {
    let room = Room::new();
    room.write("t.csv", csv);
    said(&room.json(job), "groups")
}

#[test]
fn customers_whom_columns_tell_together_are_remarked_on() {
    let many = Customers::MANY;
    for (job, customers) in [
        (
            "train t.csv -a averaged --bias 1 --missing indicator -q",
            many,
        ),
        ("train t.csv -a averaged --bias 1 --missing zero -q", many),
        (
            "tune t.csv -a perceptron --kernel gaussian:gamma=auto --folds 3 --missing mean --standardize -q",
            many,
        ),
        (
            "solve t.csv --lambda 0.01 --loss squared --bias free --missing mean -q",
            Customers {
                is_quantity: true,
                ..many
            },
        ),
        (
            "train t.csv -a averaged --bias 1 --missing indicator -q",
            Customers {
                number: 700,
                rows_each: 3,
                empty: 30,
                ..many
            },
        ),
    ] {
        let said = groups(customers.csv(5), job);
        assert!(
            said.len() == 1
                && ["joined", "country"]
                    .iter()
                    .all(|name| said[0].contains(name))
                && said[0].contains("test on rows of other persons or things"),
            "{job}: {said:?}"
        );
        // nobody comes twice
        let once = Customers {
            number: customers.number * customers.rows_each,
            rows_each: 1,
            ..customers
        };
        let said = groups(once.csv(5), job);
        assert!(said.is_empty(), "{job}: {said:?}");
    }
}

/// Sorts of mushrooms: rows of a sort share most cells, and their label.
fn sorts(random: &mut SplitMix64) -> String {
    let mut text = String::new();
    for k in 0..22 {
        let _ = write!(text, "m{k},");
    }
    text.push_str("label\n");
    let sorts: Vec<Vec<Vec<usize>>> = (0..23)
        .map(|_| {
            let kinds = |random: &mut SplitMix64| [1, 1, 2, 2, 3][random.below(5)];
            (0..22)
                .map(|_| (0..kinds(random)).map(|_| random.below(6)).collect())
                .collect()
        })
        .collect();
    for _ in 0..3000 {
        let sort = random.below(23);
        for kinds in &sorts[sort] {
            let _ = write!(text, "k{},", kinds[random.below(kinds.len())]);
        }
        let _ = writeln!(text, "{}", ["edible", "poisonous"][sort % 2]);
    }
    text
}

/// Orders: columns follow from each other, and the products that come back do often.
fn orders(random: &mut SplitMix64) -> String {
    let mut text = "city,region,product,category,price,quantity,month,label\n".to_owned();
    let often: Vec<f64> = (0..80).map(|_| 0.6 * random.uniform()).collect();
    for _ in 0..3000 {
        let (city, product) = (random.below(40), random.below(80));
        let label = ["kept", "returned"][usize::from(random.uniform() < often[product])];
        let _ = writeln!(
            text,
            "c{city},r{},p{product},g{},{}.99,{},{},{label}",
            city % 5,
            product % 8,
            3 + product * 7 % 31,
            1 + random.below(4),
            1 + random.below(12)
        );
    }
    text
}

/// Each of some settings with each other, where the label follows from them.
fn settings(random: &mut SplitMix64) -> String {
    let mut rows = Vec::new();
    for k in 0..1728 {
        let [a, b, c, d] = [k % 4, k / 4 % 4, k / 16 % 4, k / 64 % 3];
        let [e, f] = [k / 192 % 3, k / 576];
        let is_good = a + b < 4 && d > 0 && f > 0 && e + c > 1;
        let label = ["bad", "good"][usize::from(is_good)];
        rows.push(format!("k{a},k{b},k{c},k{d},k{e},k{f},{label}\n"));
    }
    let order = random.order(rows.len());
    let rows: String = order.into_iter().map(|place| &*rows[place]).collect();
    format!("a,b,c,d,e,f,label\n{rows}")
}

/// A label that only three columns tell, and other columns.
fn parity(random: &mut SplitMix64) -> String {
    let mut text = "a,b,c,d,e,f,label\n".to_owned();
    for _ in 0..3000 {
        let [a, b, c] = [random.below(2), random.below(2), random.below(2)];
        let [d, e, f] = [random.below(5), random.below(9), random.below(12)];
        let _ = writeln!(
            text,
            "{a},{b},{c},k{d},k{e},{f},{}",
            ["no", "yes"][a ^ b ^ c]
        );
    }
    text
}

#[test]
fn tables_of_few_values_are_no_groups() {
    for (name, table) in [
        ("sorts", sorts as fn(&mut SplitMix64) -> String),
        ("orders", orders),
        ("settings", settings),
        ("parity", parity),
    ] {
        let said = groups(
            table(&mut SplitMix64(11)),
            "train t.csv -a averaged --bias 1 -q",
        );
        assert!(said.is_empty(), "{name}: {said:?}");
    }
}
