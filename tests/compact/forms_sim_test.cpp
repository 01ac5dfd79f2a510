#include "compact/forms_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_form_contracts<sim_stream>();
#ifndef UPSWEEP_RACE_CHECK  // they take as long again there
const bool added_more = add_more_form_contracts<sim_stream>();
#endif

}  // namespace
}  // namespace upsweep::test
